/** The media types of documents that are read in a separate process, by document format. */

const OOXML = 'application/vnd.openxmlformats-officedocument.';
const MICROSOFT = 'application/vnd.ms-';
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
    [`${MICROSOFT}word.document.macroenabled.12`, 'docm'],
    [`${MICROSOFT}word.template.macroenabled.12`, 'dotm'],
  ],
  sheet: [
    [`${OOXML}spreadsheetml.sheet`, 'xlsx'],
    [`${OOXML}spreadsheetml.template`, 'xltx'],
    [`${MICROSOFT}excel.sheet.macroenabled.12`, 'xlsm'],
    [`${MICROSOFT}excel.template.macroenabled.12`, 'xltm'],
  ],
  slides: [
    [`${OOXML}presentationml.presentation`, 'pptx'],
    [`${OOXML}presentationml.template`, 'potx'],
    [`${OOXML}presentationml.slideshow`, 'ppsx'],
    [`${MICROSOFT}powerpoint.presentation.macroenabled.12`, 'pptm'],
    [`${MICROSOFT}powerpoint.template.macroenabled.12`, 'potm'],
    [`${MICROSOFT}powerpoint.slideshow.macroenabled.12`, 'ppsm'],
  ],
  odf: [
    [`${ODF}text`, 'odt'],
    [`${ODF}text-template`, 'ott'],
    [`${ODF}spreadsheet`, 'ods'],
    [`${ODF}spreadsheet-template`, 'ots'],
    [`${ODF}presentation`, 'odp'],
    [`${ODF}presentation-template`, 'otp'],
    [`${ODF}graphics`, 'odg'],
    [`${ODF}graphics-template`, 'otg'],
    [`${ODF}text-flat-xml`, 'fodt'],
    [`${ODF}spreadsheet-flat-xml`, 'fods'],
    [`${ODF}presentation-flat-xml`, 'fodp'],
    [`${ODF}graphics-flat-xml`, 'fodg'],
  ],
  epub: [['application/epub+zip', 'epub']],
  rtf: [
    ['application/rtf', 'rtf'],
    ['text/rtf', ''],
    ['application/x-rtf', ''],
  ],
  mail: [['message/rfc822', 'eml']],
  webArchive: [
    ['multipart/related', 'mht'],
    ['multipart/related', 'mhtml'],
    ['application/x-mimearchive', ''],
  ],
  visio: [
    [`${MICROSOFT}visio.drawing`, 'vsdx'],
    [`${MICROSOFT}visio.drawing.macroenabled.12`, 'vsdm'],
    [`${MICROSOFT}visio.template`, 'vstx'],
    [`${MICROSOFT}visio.stencil`, 'vssx'],
  ],
  binarySheet: [[`${MICROSOFT}excel.sheet.binary.macroenabled.12`, 'xlsb']],
  mailbox: [['application/mbox', 'mbox']],
  archive: [['application/zip', 'zip']],
  tar: [
    ['application/x-tar', 'tar'],
    ['application/gzip', 'gz'],
    ['application/gzip', 'tgz'],
    ['application/x-gzip', ''],
  ],
  // Which program wrote a compound file can be told by its contents only.
  compound: [
    ['application/msword', 'doc'],
    ['application/msword', 'dot'],
    [`${MICROSOFT}excel`, 'xls'],
    [`${MICROSOFT}excel`, 'xlt'],
    [`${MICROSOFT}powerpoint`, 'ppt'],
    [`${MICROSOFT}powerpoint`, 'pps'],
    [`${MICROSOFT}powerpoint`, 'pot'],
    [`${MICROSOFT}outlook`, 'msg'],
    ['application/x-ole-storage', ''],
  ],
} as const satisfies Record<string, readonly (readonly [mediaType: string, extension: string])[]>;

/** Pictures are documents only where OCR is on. */
export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/tiff'] as const;

export type DocumentFormat = keyof typeof TYPES | 'picture';

const entries = Object.entries(TYPES) as [DocumentFormat, readonly (readonly [string, string])[]][];

const FORMATS_BY_TYPE = new Map<string, DocumentFormat>(
  entries.flatMap(([format, types]) => types.map(([mediaType]) => [mediaType, format] as const)),
);

/** Media types in lower case, without parameters. */
export const DOCUMENT_TYPES: readonly string[] = [...FORMATS_BY_TYPE.keys()];

export const findDocumentFormat = (mediaType: string): DocumentFormat | undefined =>
  (PICTURE_TYPES as readonly string[]).includes(mediaType) ? 'picture' : FORMATS_BY_TYPE.get(mediaType);

/** Media types by file extension, lower case, without the dot. */
export const DOCUMENT_EXTENSIONS: ReadonlyMap<string, string> = new Map(
  entries.flatMap(([, types]) =>
    types.flatMap(([mediaType, extension]) => (extension ? [[extension, mediaType] as const] : [])),
  ),
);

const PAGE_TYPE = /^(?:text\/html|application\/(?:xhtml\+xml|vnd\.wap\.xhtml\+xml))$/;

/** Media types that web servers send for people to read, as opposed to files. */
export const isPage = (mediaType: string): boolean => PAGE_TYPE.test(mediaType);
