import type { Problem } from '../../domain/crawl/place.js';
import type { ProblemError } from '../http/problem.js';
import { oneOf, schema, text } from '../http/schema.js';
import { placeSchema } from '../urls/explanation.schema.js';

const { file, line, column } = placeSchema.fields;

/** An error or warning in a configuration. */
export const configurationProblemSchema = schema<Problem>()('ConfigurationProblem', {
  severity: oneOf(['error', 'warning']),
  code: text('unknown-element', 'Stable code.'),
  message: text('unknown element Rool: did you mean Rule?', 'What is wrong and how to correct it.'),
  file: file.by(({ place }: Problem) => place.file),
  line: line.by(({ place }: Problem) => place.line),
  column: column.by(({ place }: Problem) => place.column),
});

export const toProblemErrors = (problems: readonly Problem[]): ProblemError[] =>
  problems.map(({ severity, code, message, place }) => ({ detail: message, code, severity, ...place }));
