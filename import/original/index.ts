/** Evaluates configurations of other crawlers by their own rules, apart from how they are converted. */
import type { findFormat } from '../index.js';
import { ImportError, type ImportFile, type ReadBeside } from '../model.js';
import { createMnogosearch, createNorconex, createVelocity } from './engines.js';
import { createHeritrix } from './heritrix.js';
import { createNutch } from './nutch.js';
import { NotEvaluable, type Original } from './original.js';
import { createElastic, createFdse, createOmniFind, createStormCrawler } from './others.js';

const ORIGINALS: Partial<
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
};

/** @throws ImportError if the product, or something in its files, cannot be evaluated */
export function createOriginal(
  format: ReturnType<typeof findFormat>,
  files: readonly ImportFile[],
  readBeside: ReadBeside = () => undefined,
): Original {
  const create = ORIGINALS[format];
  if (!create)
    throw new ImportError(
      `configurations of ${format} cannot be compared with their import; those of ${Object.keys(ORIGINALS).join(', ')} can`,
    );
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
