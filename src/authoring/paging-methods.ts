/** The methods that options can say, as the configuration calls them. */
export const pagingMethods = ["offset", "pagenum", "response.url", "response.param", "cursor", "link", "none"] as const;

export type MethodName = (typeof pagingMethods)[number];
