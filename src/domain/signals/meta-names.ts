/**
 * Converts names of headers and directives to the names that sinks receive: `content-usage` is the meta
 * `content_usage`.
 */
export const toMetaName = (name: string): string => name.toLowerCase().replaceAll('-', '_');
