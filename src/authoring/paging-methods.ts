/** The methods that options can choose, by their names in the configuration. */
export const pagingMethods = ["offset", "pagenum", "response.url", "response.param", "cursor", "link", "none"] as const;

export type MethodName = (typeof pagingMethods)[number];
