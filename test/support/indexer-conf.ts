import { type IndexerConf, parseIndexerConfInSteps } from '../../src/domain/policy/indexer-conf.js';
import { runAtOnce } from '../../src/domain/steps.js';

export const parseIndexerConf = (text: string, file: string): IndexerConf =>
  runAtOnce(parseIndexerConfInSteps(text, file));
