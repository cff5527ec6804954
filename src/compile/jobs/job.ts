import { jobLabel, writtenEndpoint } from "../../config/jobs.ts";
import { phpStyle } from "../../core/requests/request.ts";
import type { Dataset } from "../../core/runs/dataset.ts";
import { counted } from "../../core/text/counted.ts";
import { type Path, pathText, pointerTo } from "../../core/values/path.ts";
import { scalarText } from "../../core/values/value.ts";
import { parseFilter } from "../../expression/filter.ts";
import { contextNames } from "../../expression/shape.ts";
import { formatWords } from "../../extract/format/format.ts";
import { compileMapping, mappedDatasets } from "../../extract/mapping.ts";
import type { Column } from "../../extract/records.ts";
import { compileResponseFilter, type ResponseFilter } from "../../extract/response-filter.ts";
import { hasInnerLists } from "../../extract/selection.ts";
import type { Job, Mapping } from "../../generated/configuration.ts";
import { describeHttp } from "../../http/describe.ts";
import { type PartRates, ratesOf, sharedRates } from "../../http/pacing/rates.ts";
import { createScroll, describe, type Scroll } from "../../pagination/index.ts";
import { stepWords } from "../../steps/words.ts";
import type { JobEnvironment } from "../environment.ts";
import { type ChildPlan, type JobPlan, type Substitution, withoutLines } from "../plan.ts";
import { authenticationOf, authenticationWords } from "../sending/authentications.ts";
import { jobPolicy } from "./answer-policies.ts";
import type { Endpoint } from "./evaluated-endpoints.ts";
import { type Increment, incrementOf, incrementOfParent } from "./increment.ts";
import { type Contexts, isAddressFromSteps, type JobParts, jobParts, parametersOf, readsAny } from "./job-parts.ts";
import { compileJobSteps, withoutAnswers } from "./job-steps.ts";
import { parentContext } from "./parent-context.ts";
import { grouped, type Placeholder, placeholdersOf } from "./placeholders.ts";
import { recordsAt } from "./records-at.ts";
import { doubtOf } from "./start-doubt.ts";
import { edgesOf, startsOf } from "./starts.ts";
import { userDataOf } from "./user-data.ts";
import type { Windows } from "./windows.ts";

/**
 * Compiles a job and the jobs below it. Evaluates its expressions, except those that read an answer to a step; a parent or a window
 * is replaced by a sample. `ancestors`: the jobs above it, the nearest first.
 */
export function compileJob(job: Job, jobEnvironment: JobEnvironment, ancestors: readonly Job[] = []): JobPlan {
  const authentication = authenticationOf(job, ancestors);
  const environment = authentication === false ? withoutUserinfo(jobEnvironment) : jobEnvironment;
  const { api, evaluate } = environment;
  const pointer = environment.pointers.get(job) ?? "";
  const label = jobLabel(job);
  // Without a parent, placeholders have no effect (contract C-2.4).
  const placeholders = ancestors.length === 0 ? [] : placeholdersOf(job, ancestors, evaluate);
  const isChild = ancestors.length > 0;
  const increment = incrementOf(job, { pointer, isChild }, environment);
  const incrementContexts: Contexts | undefined = increment && { incremental: { from: increment.from } };
  const windows = windowsIn(job, pointer, incrementContexts, environment);
  const { dataField, selection, words } = recordsAt(job);
  const sample = windows === undefined ? incrementContexts : { ...incrementContexts, window: edgesOf(windows.sample) };
  const policy = jobPolicy(job, ancestors, environment);
  const limitingJob = [job, ...ancestors].find(({ rateLimit }) => rateLimit !== undefined);
  const rates = limitingJob && partRates(limitingJob, environment);
  const steps =
    job.steps === undefined ? undefined : compileJobSteps(job, environment, { jobContexts: incrementContexts, policy });
  const jobBeforeSteps = steps === undefined ? job : withoutAnswers(job);
  const parts = jobParts(jobBeforeSteps, environment, { ...sampleContexts(job, ancestors), ...sample }, pointer);
  const { endpoints, parameters } = parts;
  // A request is built so that headers that cannot be sent are found before the first request, even in child jobs.
  const { style = phpStyle, method } = parts.request("");
  const scroll = scrollOf(job, { dataField, isNested: hasInnerLists(selection) }, environment);
  // The scroll is started so that a wrong page size or offset among the parameters is found before the first request.
  scroll.start(parameters, 0);
  const mapping = mappingOf(label, environment);
  const isPartitioned = increment?.partitions !== undefined;
  const variesByRun =
    windows !== undefined || steps !== undefined || isPartitioned || (isChild && readsAny(job, ["placeholder"]));
  const partsIn = (contexts: Contexts): JobParts =>
    variesByRun ? jobParts(job, environment, { ...incrementContexts, ...contexts }) : parts;
  const columns = userDataOf(jobBeforeSteps, environment, isChild, { ...sampleContexts(job, ancestors), ...sample });
  const namesParents = isChild && contextNames(job.userData ?? null, "placeholder").length > 0;
  const userData = (contexts: Contexts | undefined, placeholder: Contexts | undefined): readonly Column[] => {
    if (contexts === undefined && !namesParents) return columns;
    return userDataOf(job, environment, isChild, {
      ...incrementContexts,
      ...(namesParents ? placeholder : undefined),
      ...contexts,
    });
  };
  const incrementFor = (substitutions: readonly Substitution[]): Increment | undefined =>
    increment === undefined || !isPartitioned
      ? undefined
      : incrementOfParent(increment, parentContext(substitutions, environment.secrets));
  const windowsAt = (contexts: Contexts): Windows | undefined =>
    isPartitioned ? windowsIn(job, pointer, contexts, environment) : windows;
  const plan: JobPlan = {
    label,
    dataType: label,
    endpoint: writtenEndpoint(job),
    endpoints: isAddressFromSteps(job) ? [writtenEndpoint(job)] : endpoints.map(({ text }) => text),
    method,
    paging: () =>
      [
        ...(increment === undefined ? [] : [increment.words]),
        ...(windows === undefined ? [] : [windows.words]),
        ...stepWords(job.steps),
        ...requestWords(endpoints, placeholders),
        describe(api.pagination, { scroller: job.scroller, parameters }),
        ...words,
        ...authenticationWords(authentication),
        ...formatWords(job.format),
        ...describeHttp(api.http, {
          style,
          policy,
          hasJobPolicy: policy !== environment.policy,
          rates: limitingJob?.rateLimit,
        }),
      ].join("; "),
    id: job.id === undefined ? undefined : scalarText(job.id),
    pointer,
    dataField,
    selection,
    policy,
    authentication,
    rates,
    format: job.format,
    scroll,
    doubt: doubtOf(job, environment),
    increment,
    windows,
    steps,
    children: (job.children ?? []).map((child) => compileChild(child, jobEnvironment, [job, ...ancestors])),
    wantedPaths: wantedPaths(job, 0),
    filter: responseFilterOf(job),
    map: mapping && compileMapping(mapping, label),
    datasets: datasetsOf(job, mapping),
    runs: (lineage) =>
      startsOf(
        { partsIn, windows: windowsAt, steps, isSame: !variesByRun, placeholders, userData, incrementOf: incrementFor },
        lineage,
      ),
    grouped: (parents) => grouped(placeholders, parents),
  };
  return job.write === false ? withoutLines(plan) : plan;
}

/** Returns the environment of jobs that send no credentials, not even the user and password in `baseUrl`. */
function withoutUserinfo(environment: JobEnvironment): JobEnvironment {
  return { ...environment, scrolls: new Map(), build: (parts) => environment.build({ ...parts, isAnonymous: true }) };
}

/** Returns the rates of a job. The job and the jobs below it share them. */
function partRates(job: Job, { pointers, processes }: JobEnvironment): PartRates {
  return { key: pointers.get(job) ?? "", rates: sharedRates(ratesOf(job.rateLimit), processes) };
}

/** Describes the requests of a job that has several endpoints, or one request for several parents. */
function requestWords(endpoints: readonly Endpoint[], placeholders: readonly Placeholder[]): readonly string[] {
  const sizes = placeholders.flatMap(({ batch }) => (batch === undefined ? [] : [batch.size]));
  return [
    ...(endpoints.length > 1 ? [`${counted(endpoints.length, "endpoint")}, one after the other`] : []),
    ...sizes.map((size) => `one request for up to ${counted(size, "value")} of a page`),
  ];
}

/** Returns sample values of placeholders, to evaluate a child job's expressions before there is a parent. */
function sampleContexts(job: Job, ancestors: readonly Job[]): Contexts | undefined {
  if (ancestors.length === 0) return undefined;
  const names = [job, ...ancestors].flatMap(({ placeholders = {} }) => Object.keys(placeholders));
  return { placeholder: Object.fromEntries(names.map((name) => [name, "1"])) };
}

/** Maximum number of scrolls that are remembered. */
const maxScrolls = 100;

/**
 * Returns the scroll of a job. Scrolls are pure, and take longer to make than the rest of a plan, so jobs with the same paging
 * share one.
 */
function scrollOf(
  { scroller, evidence }: Job,
  { dataField, isNested }: { readonly dataField: Path | undefined; readonly isNested: boolean },
  { api, scrolls, probeEnd, maxPages, remedies, build, evaluate }: JobEnvironment,
): Scroll {
  const jobOptions = { scroller, evidence, isNested, dataField: dataField && pathText(dataField) };
  const key = JSON.stringify(jobOptions);
  let scroll = scrolls.get(key);
  if (scroll === undefined) {
    const defaults = parametersOf(api.http?.defaultOptions?.params, evaluate);
    scroll = createScroll(api.pagination, { probeEnd, maxPages, remedies, defaults, build, evaluate, ...jobOptions });
    if (scrolls.size >= maxScrolls) scrolls.clear();
    scrolls.set(key, scroll);
  }
  return scroll;
}

/** Returns the datasets of a job's lines. The job's schema and key apply to its own dataset, not to the tables of its mapping. */
function datasetsOf(job: Job, mapping: Mapping | undefined): readonly Dataset[] {
  const name = jobLabel(job);
  const { schema, key } = job;
  const ownDataset = { name, schema, key: typeof key === "string" ? [key] : key };
  const tables = mapping === undefined ? [] : mappedDatasets(mapping, name);
  return [ownDataset, ...tables.filter((table) => table !== name).map((table) => ({ name: table }))];
}

function compileChild(child: Job, environment: JobEnvironment, ancestors: readonly Job[]): ChildPlan {
  const { recursionFilter = "" } = child;
  const filters = recursionFilter !== "";
  const accepts = filters ? parseFilter(recursionFilter) : () => true;
  return { plan: compileJob(child, environment, ancestors), filters, accepts };
}

/** Returns the windows of a job; undefined if it has none. */
function windowsIn(
  { windows }: Job,
  pointer: string,
  contexts: Contexts | undefined,
  { calendar, evaluate, currentStart, secrets, warn }: JobEnvironment,
): Windows | undefined {
  if (windows === undefined || calendar === undefined) return undefined;
  const to = windows.to === undefined ? undefined : evaluate(windows.to, contexts);
  const windowsPointer = pointerTo(pointer, "windows");
  const jobWindows = calendar.windowsOf(
    windows,
    { from: evaluate(windows.from, contexts), to },
    { pointer: windowsPointer, now: currentStart, secrets },
  );
  if (jobWindows.isFinerThanUnit) {
    const { step, unit = "second" } = windows;
    warn(
      `${pointerTo(windowsPointer, "step")}: ${JSON.stringify(step)} is shorter than the unit, a ${unit}: a window is at least as long as the unit`,
    );
  }
  return jobWindows;
}

function responseFilterOf({ responseFilter, responseFilterDelimiter }: Job): ResponseFilter | undefined {
  if (responseFilter === undefined) return undefined;
  const paths = typeof responseFilter === "string" ? [responseFilter] : responseFilter;
  return compileResponseFilter(paths, responseFilterDelimiter);
}

/** Returns the mapping of a job; undefined if it has none, or if the mapping makes tables that the output cannot separate. */
function mappingOf(dataType: string, { config, separatesDatasets, warn }: JobEnvironment): Mapping | undefined {
  const { mappings } = config;
  const mapping = mappings !== undefined && Object.hasOwn(mappings, dataType) ? mappings[dataType] : undefined;
  if (mapping === undefined || Object.keys(mapping).length === 0) return undefined;
  if (separatesDatasets || !Object.values(mapping).some(({ type }) => type === "table")) return mapping;
  warn(
    `the mapping of ${JSON.stringify(dataType)} makes records of several datasets: it is applied only with --tag or --split; without them, the records are written unchanged`,
  );
  return undefined;
}

/** Returns the paths in a job's records that the placeholders of the jobs below it need. */
function wantedPaths(job: Job, depth: number): readonly Path[] {
  const paths = (job.children ?? []).flatMap((child) => [
    ...placeholdersOf(child, [], (value) => value)
      .filter(({ level }) => level === depth + 1)
      .map(({ path }) => path),
    ...wantedPaths(child, depth + 1),
  ]);
  return [...new Map(paths.map((path) => [pathText(path), path])).values()];
}
