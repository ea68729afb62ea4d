/** Results of tools: the API's answers, bounded, and without what people would not see. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { ApiProblem } from '../../../client/index.js';
import { toPrintableLines } from '../printable.js';

/** Maximum number of characters in a result; an assistant cannot read more at once. */
export const MAX_CHARACTERS = 60_000;
/** Length to which lists are shortened first. */
const MAX_ITEMS = 1_000;

/** The API's response or refusal in the form that the protocol requires; a refusal is for the assistant to read. */
export async function toToolResult(call: () => Promise<unknown>): Promise<CallToolResult> {
  try {
    return createResult(toPrintableValue(await call()));
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    const errors = error.errors.map(({ detail }) => `\n${detail}`).join('');
    return createRefusal(toPrintableLines(`${error.detail}${errors}`));
  }
}

/** Titles and URLs come from strangers: assistants read nothing in them that people would not see. */
const toPrintableValue = (value: unknown): unknown =>
  JSON.parse(toPrintableLines(JSON.stringify(value)), (_, part) =>
    typeof part === 'string' ? toPrintableLines(part) : part,
  );

/** The same answer twice, as the protocol requires: as data, and as text for programs that do not read data. */
function createResult(answer: unknown): CallToolResult {
  const shortAnswer = shortenLists(answer, MAX_CHARACTERS);
  const isShortened = shortAnswer !== answer;
  const text = JSON.stringify(shortAnswer);
  // A cursor would skip what was left out.
  if (text.length > MAX_CHARACTERS || (isShortened && (answer as { next?: unknown }).next))
    return createRefusal('The answer is too long. Ask for less, for example with a smaller `limit`.');
  return {
    structuredContent: shortAnswer as Record<string, unknown>,
    content: [
      { type: 'text', text },
      ...(isShortened ? [{ type: 'text' as const, text: 'The answer was too long: its lists are shortened.' }] : []),
    ],
  };
}

/** Shortens all lists in an answer until it fits; the same answer if it fits as it is. */
export function shortenLists(answer: unknown, maxCharacters: number): unknown {
  let shortAnswer = answer;
  for (let length = MAX_ITEMS; length > 0 && JSON.stringify(shortAnswer).length > maxCharacters; length >>= 1)
    shortAnswer = JSON.parse(JSON.stringify(answer), (_, part) => (Array.isArray(part) ? part.slice(0, length) : part));
  return shortAnswer;
}

const createRefusal = (text: string): CallToolResult => ({
  content: [{ type: 'text', text: text.slice(0, MAX_CHARACTERS) }],
  isError: true,
});
