/** Evaluates configurations of other crawlers by their own rules, apart from how they are converted. */
import type { findFormat } from '../index.js';
import { ImportError, type ImportFile, type ReadBeside } from '../model.js';
import { createMnogosearch, createNorconex, createVelocity } from './engines.js';
import { createHeritrix } from './heritrix.js';
import { createFess, createGsa, createScrapy } from './lists.js';
import { createNutch } from './nutch.js';
import { NotEvaluable, type Original } from './original.js';
import { createElastic, createFdse, createOmniFind, createStormCrawler } from './others.js';
import { createDocSearch, createManifoldCf } from './sites.js';

const ORIGINALS: Readonly<
  Record<ReturnType<typeof findFormat>, (files: readonly ImportFile[], readBeside: ReadBeside) => Original>
> = {
  nutch: createNutch,
  heritrix: createHeritrix,
  stormcrawler: createStormCrawler,
  norconex: createNorconex,
  elastic: createElastic,
  mnogosearch: createMnogosearch,
  dataparksearch: createMnogosearch,
  velocity: createVelocity,
  omnifind: createOmniFind,
  fdse: createFdse,
  scrapy: createScrapy,
  fess: createFess,
  gsa: createGsa,
  docsearch: createDocSearch,
  algolia: createDocSearch,
  manifoldcf: createManifoldCf,
};

/** @throws ImportError if something in the files cannot be evaluated */
export function createOriginal(
  format: ReturnType<typeof findFormat>,
  files: readonly ImportFile[],
  readBeside: ReadBeside = () => undefined,
): Original {
  const create = ORIGINALS[format];
  const evaluate = <T>(run: () => T): T => {
    try {
      return run();
    } catch (error) {
      throw error instanceof NotEvaluable ? new ImportError(error.message, { cause: error }) : error;
    }
  };
  const original = evaluate(() => create(files, readBeside));
  return { judge: (url) => evaluate(() => original.judge(url)) };
}
