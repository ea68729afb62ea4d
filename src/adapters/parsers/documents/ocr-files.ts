/** Finds the packages that character recognition needs, which are installed separately. */
import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ServerDefinition } from '../../../domain/crawl/definition.js';
import type { Problem } from '../../../domain/crawl/place.js';

export interface OcrFiles {
  /** The program, Tesseract compiled to WebAssembly. */
  readonly program: string;
  /** For each language, the file with its data. */
  readonly data: readonly string[];
}

const PROGRAM = 'tesseract.js-core';
/** The smaller of two sets of data; the other one serves a recognizer that is not used. */
const DATA_FOLDER = '4.0.0_best_int';

/** @throws Error with the command that installs what is missing */
export function findOcrFiles(languages: readonly string[]): OcrFiles {
  const problem = findOcrProblem(languages);
  if (problem !== undefined) throw new Error(problem);
  return {
    program: join(findPackage(PROGRAM)!, 'tesseract-core-simd-lstm.js'),
    data: languages.map((language) =>
      join(findPackage(getDataPackage(language))!, DATA_FOLDER, `${language}.traineddata.gz`),
    ),
  };
}

/** Warns if OCR is on and this machine lacks a package for it, which the configuration alone does not show. */
export function findOcrProblems({ extractors }: Pick<ServerDefinition, 'extractors'>): Problem[] {
  const ocr = extractors?.find((extractor) => extractor.type === 'documents')?.ocr;
  const message = ocr && findOcrProblem(ocr.languages);
  return message === undefined ? [] : [{ severity: 'warning', code: 'no-ocr-package', message, place: ocr!.place }];
}

/** Names the packages that are missing, and the command that installs them; undefined if there are none. */
function findOcrProblem(languages: readonly string[]): string | undefined {
  const missing = [PROGRAM, ...languages.map(getDataPackage)].filter((name) => findPackage(name) === undefined);
  if (missing.length === 0) return undefined;
  const [what, are] = missing.length === 1 ? ['package', 'is'] : ['packages', 'are'];
  return `the ${what} ${missing.join(', ')} ${are} not installed: run \`npm install ${missing.join(' ')}\` in the Crawlway folder (docs/documents.md, OCR)`;
}

const getDataPackage = (language: string): string => `@tesseract.js-data/${language}`;

/** Folders of the packages; the process that reads documents may read nothing else. */
export const listOcrFolders = ({ program, data }: OcrFiles): string[] =>
  [program, ...data].map((file) => dirname(file));

function findPackage(name: string): string | undefined {
  try {
    return dirname(realpathSync(createRequire(import.meta.url).resolve(`${name}/package.json`)));
  } catch {
    return undefined;
  }
}
