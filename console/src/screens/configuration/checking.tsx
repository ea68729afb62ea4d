/** A text of the configuration that the server checks while it is being edited. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { ConfigurationProblemDto } from '../../api/schema.js';
import { formatPlural } from '../../ui/format.js';
import type { TextProblem } from './code-editor.js';
import { type Draft, toRequestBody } from './draft.js';

interface Checked {
  readonly errors: number;
  readonly warnings: number;
}

export interface Checking {
  readonly checked: Checked;
  readonly check: (text: string) => Promise<readonly TextProblem[]>;
}

/**
 * @param draftOf returns the configuration with the text in it @param placeOf returns the place of a problem in the
 * text; undefined if it is elsewhere. Warnings from elsewhere are left out.
 */
export function useDraftCheck(
  draftOf: (text: string) => Draft,
  placeOf: (problem: ConfigurationProblemDto, text: string) => Pick<TextProblem, 'line' | 'column'> | undefined,
): Checking {
  const [checked, setChecked] = useState<Checked>({ errors: 0, warnings: 0 });
  const check = async (text: string): Promise<TextProblem[]> => {
    const { problems } = await call('POST /api/v1/config/check', { body: toRequestBody(draftOf(text)) });
    const found = problems.flatMap((problem): TextProblem[] => {
      const { severity, code, message, file, line, column } = problem;
      const place = placeOf(problem, text);
      if (place) return [{ severity, code, message, ...place }];
      return severity === 'error' ? [{ severity, code, message: `${file}:${line}:${column} ${message}` }] : [];
    });
    const errors = found.filter(({ severity }) => severity === 'error').length;
    setChecked({ errors, warnings: found.length - errors });
    return found;
  };
  return { checked, check };
}

export function CheckSummary({ checked: { errors, warnings } }: { checked: Checked }): JSX.Element {
  const words = [errors > 0 && formatPlural(errors, 'error'), warnings > 0 && formatPlural(warnings, 'warning')].filter(
    Boolean,
  );
  return <span role="status">{words.join(', ') || 'no problems'}</span>;
}
