/** Syntax colours for crawl.rules, global.rules and indexer.conf: comments, the command and its kind. */
import { StreamLanguage } from '@codemirror/language';

interface State {
  /** Number of words before this one on its line. */
  words: number;
}

export const rulesLanguage = StreamLanguage.define<State>({
  name: 'rules',
  startState: () => ({ words: 0 }),
  token(stream, state) {
    if (stream.sol()) state.words = 0;
    if (stream.eatSpace()) return null;
    if (stream.peek() === '#') {
      stream.skipToEnd();
      return 'comment';
    }
    stream.match(/^\S+/);
    state.words++;
    if (state.words === 1) return 'keyword';
    return /^(?:domain|address|prefix)$/i.test(stream.current()) ? 'attributeName' : null;
  },
});
