/** The values of a template: texts and numbers by name, and lists of views for sections that are repeated. */
export interface View {
  readonly [name: string]: string | number | boolean | undefined | View | readonly View[];
}

const place = /\{\{#(\w+)\}\}([\s\S]*?)\{\{\/\1\}\}|\{\{(&?)(\w+)\}\}/g;

/**
 * Fills a template of HTML. `{{name}}` becomes the escaped value, and `{{&name}}` the value as it is. `{{#name}}...{{/name}}` is
 * repeated for each view of a list, and kept once for a view or another value that is not empty. Inside, names of the view hide
 * those around it.
 */
export function fillTemplate(template: string, view: View): string {
  return template.replace(place, (_match, section, body, raw, name) => {
    if (section === undefined) return raw === "&" ? textOf(view[name]) : escapeHtml(textOf(view[name]));
    const value = view[section];
    if (value === undefined || value === "" || value === false || value === 0) return "";
    const views = Array.isArray(value) ? value : [typeof value === "object" ? value : {}];
    return views.map((one: View) => fillTemplate(body, { ...view, ...one })).join("");
  });
}

function textOf(value: View[string]): string {
  return typeof value === "object" || value === undefined ? "" : String(value);
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
