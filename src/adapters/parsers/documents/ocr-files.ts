/** Finds the packages that character recognition needs, which are installed separately. */
import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export interface OcrFiles {
  /** The program, Tesseract compiled to WebAssembly. */
  readonly program: string;
  /** For each language, the file with its data. */
  readonly data: readonly string[];
}

const PROGRAM = 'tesseract.js-core';
/** The smaller of two sets of data; the other one serves a recognizer that is not used. */
const DATA_FOLDER = '4.0.0_best_int';

/** @throws Error that names the package if one is not installed */
export function findOcrFiles(languages: readonly string[]): OcrFiles {
  return {
    program: join(findPackage(PROGRAM), 'tesseract-core-simd-lstm.js'),
    data: languages.map((language) =>
      join(findPackage(`@tesseract.js-data/${language}`), DATA_FOLDER, `${language}.traineddata.gz`),
    ),
  };
}

/** Folders of the packages; the process that reads documents may read nothing else. */
export const listOcrFolders = ({ program, data }: OcrFiles): string[] =>
  [program, ...data].map((file) => dirname(file));

function findPackage(name: string): string {
  try {
    return dirname(realpathSync(createRequire(import.meta.url).resolve(`${name}/package.json`)));
  } catch {
    throw new Error(`the package ${name} is not installed (npm install ${name})`);
  }
}
