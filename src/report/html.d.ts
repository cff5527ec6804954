/** An HTML template, which esbuild converts to a text. */
declare module "*.html" {
  const template: string;
  // biome-ignore lint/style/noDefaultExport: esbuild gives the text as the default export
  export default template;
}
