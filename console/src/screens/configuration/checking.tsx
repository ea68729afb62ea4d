/** Has the server check a text of the configuration while it is being edited. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { ConfigurationProblemDto } from '../../api/schema.js';
import { formatPlural } from '../../ui/format.js';
import type { TextProblem } from './code-editor.js';
import { type Draft, toRequestBody } from './draft.js';

interface ProblemCounts {
  readonly errors: number;
  readonly warnings: number;
}

export interface DraftCheck {
  readonly problemCounts: ProblemCounts;
  readonly check: (text: string) => Promise<readonly TextProblem[]>;
}

/**
 * Checks the text as a part of the whole configuration. Errors elsewhere in the configuration are reported without a
 * position in the text, and warnings elsewhere are left out.
 */
export function useDraftCheck(
  toDraft: (text: string) => Draft,
  findPosition: (problem: ConfigurationProblemDto, text: string) => Pick<TextProblem, 'line' | 'column'> | undefined,
): DraftCheck {
  const [problemCounts, setProblemCounts] = useState<ProblemCounts>({ errors: 0, warnings: 0 });
  const check = async (text: string): Promise<TextProblem[]> => {
    const { problems } = await call('POST /api/v1/config/check', { body: toRequestBody(toDraft(text)) });
    const found = problems.flatMap((problem): TextProblem[] => {
      const { severity, code, message, file, line, column } = problem;
      const position = findPosition(problem, text);
      if (position) return [{ severity, code, message, ...position }];
      return severity === 'error' ? [{ severity, code, message: `${file}:${line}:${column} ${message}` }] : [];
    });
    const errors = found.filter(({ severity }) => severity === 'error').length;
    setProblemCounts({ errors, warnings: found.length - errors });
    return found;
  };
  return { problemCounts, check };
}

export function CheckSummary({ problemCounts: { errors, warnings } }: { problemCounts: ProblemCounts }): JSX.Element {
  const parts = [errors > 0 && formatPlural(errors, 'error'), warnings > 0 && formatPlural(warnings, 'warning')].filter(
    Boolean,
  );
  return <span role="status">{parts.join(', ') || 'no problems'}</span>;
}
