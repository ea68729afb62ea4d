/** Names of headers and directives as sinks get them: `content-usage` is the meta `content_usage`. */
export const toMetaName = (name: string): string => name.toLowerCase().replaceAll('-', '_');
