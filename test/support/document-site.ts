/** A site of documents of every format, each with a word, an author, a date and a link of its own. */
import { DOCUMENT_EXTENSIONS } from '../../src/domain/content/document-types.js';
import type { FakeSite } from './fake-site.js';
import * as further from './further-documents.js';
import * as legacy from './legacy-documents.js';
import * as sample from './sample-documents.js';

export interface PublishedDocument extends sample.DocumentFacts {
  readonly path: string;
  readonly url: string;
  readonly word: string;
  /** The meta that contains `date`: the server's if the format has none. */
  readonly dateMeta: 'date_created' | 'lastmodifieddate';
  /** Formats of text alone have none. */
  readonly hasAuthor: boolean;
  /** Where its link leads, when it has one. */
  readonly linked?: string;
}

type Make = (facts: sample.DocumentFacts) => string | Uint8Array;

/** By file extension; templates and documents with macros are like the documents that they belong to. */
const OFFICE: readonly (readonly [Make, readonly string[]])[] = [
  [sample.pdf, ['pdf', 'pdf', 'pdf', 'pdf', 'pdf', 'pdf', 'pdf', 'pdf', 'pdf']],
  [sample.docx, ['docx', 'docx', 'docx', 'docm', 'dotx', 'dotm']],
  [sample.xlsx, ['xlsx', 'xlsx', 'xlsx', 'xlsm', 'xltx', 'xltm']],
  [sample.pptx, ['pptx', 'pptx', 'pptm', 'potx', 'potm', 'ppsx', 'ppsm']],
  [sample.odt, ['odt', 'odt', 'odt', 'ott']],
  [sample.ods, ['ods', 'ods', 'ots']],
  [sample.odp, ['odp', 'odp', 'otp']],
  [sample.epub, ['epub', 'epub', 'epub']],
  [sample.rtf, ['rtf', 'rtf', 'rtf']],
  [sample.eml, ['eml', 'eml', 'eml']],
  [legacy.doc, ['doc', 'dot']],
  [legacy.xls, ['xls', 'xlt']],
  [legacy.ppt, ['ppt', 'pps']],
  [legacy.msg, ['msg']],
  [further.vsdx, ['vsdx']],
  [further.xlsb, ['xlsb']],
  [further.fodt, ['fodt']],
  [further.mht, ['mht', 'mhtml']],
];

const csv: Make = ({ text }) => `bird,seen\n"${text}",3\n`;
const TEXTS: readonly (readonly [extension: string, mediaType: string, links: boolean, Make])[] = [
  ['csv', 'text/csv', false, csv],
  ['tsv', 'text/tab-separated-values', false, (facts) => `bird\tseen\n${facts.text}\t3\n`],
  ['json', 'application/json', false, ({ title, text }) => JSON.stringify({ title, body: [text] })],
  ['ndjson', 'application/x-ndjson', false, ({ text }) => `{"a":1}\n${JSON.stringify({ text })}\n`],
  ['md', 'text/markdown', true, ({ text, link }) => `# Birds\n\n${text} [More](${link})\n`],
  ['xml', 'application/xml', false, ({ text }) => `<?xml version="1.0"?><birds><bird>${text}</bird></birds>`],
  ['txt', 'text/plain', false, ({ text }) => text],
  ['txt', 'text/plain; charset=utf-16le', false, ({ text }) => Buffer.from(text, 'utf16le')],
  ['yaml', 'application/yaml', false, ({ text }) => `bird: ${JSON.stringify(text)}\n`],
  ['txt', 'text/plain; charset=windows-1252', false, ({ text }) => Buffer.from(`Café: ${text}`, 'latin1')],
  ['csv', 'text/csv; charset=iso-8859-15', false, csv],
];

const AUTHORS = ['Ada Wing', 'Bo Reed', 'Cleo Marsh', 'Dora Finch', 'Eli Brook'];
const WORDS = ['alder', 'birch', 'cedar', 'dogwood', 'elder', 'fir', 'gorse'];

/** `number` must differ between the documents of a site. */
export function factsOf(site: FakeSite, number: number): sample.DocumentFacts & { readonly word: string } {
  const word = `${WORDS[number % WORDS.length]}${number}grove`;
  const day = String((number % 28) + 1).padStart(2, '0');
  const month = String((number % 12) + 1).padStart(2, '0');
  return {
    word,
    title: `Report ${number}`,
    author: AUTHORS[number % AUTHORS.length]!,
    text: `${sample.FACTS.text} It stands below the ${word}.`,
    link: site.url(`/from-${number}`),
    date: `${2000 + (number % 25)}-${month}-${day}T12:00:00Z`,
  };
}

/** Documents of every format, linked from the start page of the site. */
export function publishDocuments(site: FakeSite): PublishedDocument[] {
  const wanted = [
    ...OFFICE.flatMap(([make, extensions]) =>
      extensions.map((extension) => ({
        extension,
        make,
        mediaType: DOCUMENT_EXTENSIONS.get(extension)!,
        links: true,
        dateMeta: 'date_created' as const,
      })),
    ),
    ...TEXTS.map(([extension, mediaType, links, make]) => ({
      extension,
      make,
      mediaType,
      links,
      dateMeta: 'lastmodifieddate' as const,
    })),
  ];
  const published = wanted.map(({ extension, make, mediaType, links, dateMeta }, number) => {
    const facts = factsOf(site, number);
    const path = `/document-${number}.${extension}`;
    site.set(path, {
      headers: { 'content-type': mediaType, 'last-modified': new Date(facts.date).toUTCString() },
      body: make(facts),
    });
    if (links) site.page(`/from-${number}`);
    return {
      ...facts,
      path,
      url: site.url(path),
      dateMeta,
      hasAuthor: dateMeta === 'date_created',
      ...(links ? { linked: facts.link } : {}),
    };
  });
  site.page(
    '/',
    published.map(({ path }) => path),
  );
  return published;
}
