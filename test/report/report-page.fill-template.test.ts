import assert from "node:assert/strict";
import { test } from "node:test";
import { fillTemplate } from "../../src/report/report-page.ts";

test("values are escaped unless they are requested raw", () => {
  const view = { name: `<a href="x" id='y'>&$&`, none: undefined, zero: 0 };
  assert.equal(
    fillTemplate("{{name}}|{{none}}|{{zero}}|{{missing}}", view),
    "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;$&amp;||0|",
  );
  assert.equal(fillTemplate("{{&name}}", view), view.name);
});

test("a section is repeated for each view, and left out for an empty value", () => {
  const view = { name: "outer", list: [{ name: "a", inner: [{ x: 1 }, { x: 2 }] }, { inner: [] }], yes: true, no: "" };
  const template = "{{#list}}{{name}}:{{#inner}}{{x}},{{/inner}};{{/list}}{{#yes}}yes{{/yes}}{{#no}}no{{/no}}";
  assert.equal(fillTemplate(template, view), "a:1,2,;outer:;yes");
});

test("the content of a value is never a template", () => {
  assert.equal(fillTemplate("{{#list}}{{a}}{{/list}}", { list: [{ a: "{{b}}" }], b: "secret" }), "{{b}}");
});
