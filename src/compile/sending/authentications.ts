import { authenticationHeaders, checkAuthentication, loginOf } from "../../authentication/index.ts";
import { allJobs } from "../../config/jobs.ts";
import type { Fault } from "../../core/errors.ts";
import { nearest } from "../../core/text/nearest.ts";
import { pointerTo } from "../../core/values/path.ts";
import type { Api, Authentication, Job } from "../../generated/configuration.ts";
import { stepFaults } from "../../steps/check-steps.ts";

/** An authentication of a configuration, and its pointer. */
export interface PlacedAuthentication {
  readonly authentication: Authentication;
  readonly pointer: string;
}

/** Returns all authentications of a configuration, beginning with `api.authentication`. `pointer` is the pointer of `api`. */
export function authenticationsOf(api: Partial<Api>, pointer: string): readonly PlacedAuthentication[] {
  const { authentication, authentications = {} } = api;
  return [
    ...(authentication === undefined ? [] : [{ authentication, pointer: pointerTo(pointer, "authentication") }]),
    ...Object.entries(authentications).map(([name, one]) => ({
      authentication: one,
      pointer: pointerTo(pointer, "authentications", name),
    })),
  ];
}

/**
 * Returns the name of a job's authentication: its own, else that of the nearest job above that names one. False means none,
 * undefined means `api.authentication`.
 */
export function authenticationOf(job: Job, ancestors: readonly Job[]): string | false | undefined {
  return [job, ...ancestors].find(({ authentication }) => authentication !== undefined)?.authentication;
}

/** Returns whether the requests of a job need a login. */
export function logsIn(api: Partial<Api>, job: Job, ancestors: readonly Job[]): boolean {
  return loginOf(authenticationIn(api, job, ancestors)) !== undefined;
}

function authenticationIn(api: Partial<Api>, job: Job, ancestors: readonly Job[]): Authentication | undefined {
  const name = authenticationOf(job, ancestors);
  if (name === false) return undefined;
  return name === undefined ? api.authentication : api.authentications?.[name];
}

/** Returns hints about job headers that are never sent, because the authentication replaces them. */
export function replacedHeaders(
  api: Partial<Api>,
  jobs: readonly Job[],
  pointers: ReadonlyMap<Job, string>,
): readonly Fault[] {
  return [...allJobs(jobs)].flatMap(({ job, ancestors }) => {
    const authentication = authenticationIn(api, job, ancestors);
    const replaced = (authentication === undefined ? [] : authenticationHeaders(authentication)).map(lowerCase);
    return Object.keys(job.headers ?? {})
      .filter((name) => replaced.includes(name.toLowerCase()))
      .map((name) => ({
        pointer: pointerTo(pointers.get(job) ?? "", "headers", name),
        message: 'is not sent, because the authentication replaces it: "authentication": false in the job sends it',
      }));
  });
}

function lowerCase(name: string): string {
  return name.toLowerCase();
}

/** Describes the authentication of a job, if it is not `api.authentication`. */
export function authenticationWords(name: string | false | undefined): readonly string[] {
  if (name === undefined) return [];
  return [name === false ? "no authentication" : `authentication ${JSON.stringify(name)}`];
}

type CheckOptions = Omit<Parameters<typeof checkAuthentication>[1], "pointer">;

/** Returns the faults of all authentications of a configuration. */
export function authenticationFaults(placed: readonly PlacedAuthentication[], options: CheckOptions): Fault[] {
  return [
    ...placed.flatMap(({ authentication, pointer }) => [
      ...checkAuthentication(authentication, { ...options, pointer }),
      ...loginStepFaults(authentication, pointer),
    ]),
    ...rememberedTwice(placed),
  ];
}

/** Returns a fault for each job whose `authentication` names none of `api.authentications`. */
export function nameFaults(api: Partial<Api>, jobs: readonly Job[], pointers: ReadonlyMap<Job, string>): Fault[] {
  const names = Object.keys(api.authentications ?? {});
  return [...allJobs(jobs)].flatMap(({ job }) => {
    const name: unknown = job.authentication;
    if (name === undefined || name === false || names.some((one) => one === name)) return [];
    const authenticationPointer = pointerTo(pointers.get(job) ?? "", "authentication");
    if (typeof name !== "string") {
      return [
        { pointer: authenticationPointer, message: 'must be the name of one of "api.authentications", or false' },
      ];
    }
    const suggestion = nearest(name, names);
    const meant = suggestion === undefined ? "" : `, did you mean ${JSON.stringify(suggestion)}?`;
    const choices =
      names.length === 0 ? "which is empty" : `which has ${names.map((one) => JSON.stringify(one)).join(", ")}`;
    const message = `there is no ${JSON.stringify(name)} in "api.authentications", ${choices}${meant}`;
    return [{ pointer: authenticationPointer, message, suggestion }];
  });
}

/** Returns warnings about authentications that no job of any iteration names; `pointer` is the pointer of `api`. */
export function unusedAuthentications(api: Partial<Api>, lists: readonly (readonly Job[])[], pointer: string): Fault[] {
  const usedNames = new Set(lists.flatMap((jobs) => [...allJobs(jobs)].map(({ job }) => job.authentication)));
  return Object.keys(api.authentications ?? {})
    .filter((name) => !usedNames.has(name))
    .map((name) => ({
      pointer: pointerTo(pointer, "authentications", name),
      message: 'no job names it as its "authentication"',
    }));
}

function loginStepFaults(authentication: Authentication, pointer: string): Fault[] {
  const { steps, loginRequest } = loginOf(authentication) ?? {};
  const { endpoint, params, headers } = loginRequest ?? {};
  const readers = Object.entries({ endpoint, params, headers }).map(([name, value]) => {
    return [value, pointerTo(pointer, "loginRequest", name)] as const;
  });
  return stepFaults(steps, { pointer: pointerTo(pointer, "steps"), readers, login: true });
}

/** Returns a fault for each setting that an earlier login remembers, too: one login would overwrite the value of the other. */
function rememberedTwice(placed: readonly PlacedAuthentication[]): Fault[] {
  const first = new Map<string, string>();
  return placed.flatMap(({ authentication, pointer }) =>
    Object.keys(loginOf(authentication)?.remember ?? {}).flatMap((name) => {
      const other = first.get(name);
      if (other === undefined) first.set(name, pointer);
      if (other === undefined) return [];
      const message = `${other} remembers the same setting: each login needs its own setting`;
      return [{ pointer: pointerTo(pointer, "remember", name), message }];
    }),
  );
}
