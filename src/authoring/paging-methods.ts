/** The methods of paging that the option `--paging` offers. */
export const pagingMethods = ["offset", "pagenum", "response.url", "response.param", "cursor", "link", "none"] as const;

export type MethodName = (typeof pagingMethods)[number];
