/** Which documents are read in a separate process, and by which reader. */

const OOXML = 'application/vnd.openxmlformats-officedocument.';
const MS = 'application/vnd.ms-';
const ODF = 'application/vnd.oasis.opendocument.';

/**
 * Media types by format, with their file extensions. If several media types have the same format, the one with an
 * extension is the standard one.
 */
const TYPES = {
  pdf: [
    ['application/pdf', 'pdf'],
    ['application/x-pdf', ''],
  ],
  word: [
    [`${OOXML}wordprocessingml.document`, 'docx'],
    [`${OOXML}wordprocessingml.template`, 'dotx'],
    [`${MS}word.document.macroenabled.12`, 'docm'],
    [`${MS}word.template.macroenabled.12`, 'dotm'],
  ],
  sheet: [
    [`${OOXML}spreadsheetml.sheet`, 'xlsx'],
    [`${OOXML}spreadsheetml.template`, 'xltx'],
    [`${MS}excel.sheet.macroenabled.12`, 'xlsm'],
    [`${MS}excel.template.macroenabled.12`, 'xltm'],
  ],
  slides: [
    [`${OOXML}presentationml.presentation`, 'pptx'],
    [`${OOXML}presentationml.template`, 'potx'],
    [`${OOXML}presentationml.slideshow`, 'ppsx'],
    [`${MS}powerpoint.presentation.macroenabled.12`, 'pptm'],
    [`${MS}powerpoint.template.macroenabled.12`, 'potm'],
    [`${MS}powerpoint.slideshow.macroenabled.12`, 'ppsm'],
  ],
  odf: [
    [`${ODF}text`, 'odt'],
    [`${ODF}text-template`, 'ott'],
    [`${ODF}spreadsheet`, 'ods'],
    [`${ODF}spreadsheet-template`, 'ots'],
    [`${ODF}presentation`, 'odp'],
    [`${ODF}presentation-template`, 'otp'],
  ],
  epub: [['application/epub+zip', 'epub']],
  rtf: [
    ['application/rtf', 'rtf'],
    ['text/rtf', ''],
    ['application/x-rtf', ''],
  ],
  mail: [['message/rfc822', 'eml']],
} as const satisfies Record<string, readonly (readonly [mediaType: string, extension: string])[]>;

export type DocumentFormat = keyof typeof TYPES;

const entries = Object.entries(TYPES) as [DocumentFormat, readonly (readonly [string, string])[]][];

const FORMAT_OF = new Map<string, DocumentFormat>(
  entries.flatMap(([format, types]) => types.map(([mediaType]) => [mediaType, format] as const)),
);

/** Media types in lower case, without parameters. */
export const DOCUMENT_TYPES: readonly string[] = [...FORMAT_OF.keys()];

export const findDocumentFormat = (mediaType: string): DocumentFormat | undefined => FORMAT_OF.get(mediaType);

/** Media types by file extension, lower case, without the dot. */
export const DOCUMENT_EXTENSIONS: ReadonlyMap<string, string> = new Map(
  entries.flatMap(([, types]) =>
    types.flatMap(([mediaType, extension]) => (extension ? [[extension, mediaType] as const] : [])),
  ),
);
