/** Syntax highlighting for crawl.rules, global.rules and indexer.conf: comments, the command and its kind. */
import { StreamLanguage } from '@codemirror/language';

interface State {
  /** Number of words read on the current line. */
  wordCount: number;
}

export const rulesLanguage = StreamLanguage.define<State>({
  name: 'rules',
  startState: () => ({ wordCount: 0 }),
  token(stream, state) {
    if (stream.sol()) state.wordCount = 0;
    if (stream.eatSpace()) return null;
    if (stream.peek() === '#') {
      stream.skipToEnd();
      return 'comment';
    }
    stream.match(/^\S+/);
    state.wordCount++;
    if (state.wordCount === 1) return 'keyword';
    return /^(?:domain|address|prefix)$/i.test(stream.current()) ? 'attributeName' : null;
  },
});
