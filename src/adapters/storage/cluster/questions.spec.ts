import { describe, expect, it } from 'vitest';
import { Questions } from './questions.js';

const LONG = 'a long answer with "quotes" and ümlauts, '.repeat(2_000);

describe('questions to other nodes', () => {
  it('are answered when all nodes have replied, in chunks that arrive in any order and fit into a notification', async () => {
    const questions = new Questions();
    const asked = questions.ask(2, (id) => {
      const pieces = Questions.splitIntoPieces(id, LONG);
      expect(pieces.length).toBeGreaterThan(5);
      for (const piece of pieces.reverse()) {
        const notice = JSON.stringify({ from: '4f0c2d1e-4c1f-4be1-9f7e-0d9a41b2f6a3', answer: piece });
        expect(notice.length).toBeLessThan(8_000);
        questions.receivePiece('one', piece);
      }
      questions.receivePiece('two', Questions.splitIntoPieces(id, '')[0]!);
    });
    const { answers, complete } = await asked;
    expect(complete).toBe(true);
    expect(answers).toEqual([
      { from: 'one', text: LONG },
      { from: 'two', text: '' },
    ]);
  });

  it('do not wait for a silent node, and report that it is missing', async () => {
    const questions = new Questions();
    const asked = questions.ask(2, (id) => questions.receivePiece('one', Questions.splitIntoPieces(id, 'here')[0]!));
    expect(await asked).toEqual({ answers: [{ from: 'one', text: 'here' }], complete: false });
  });

  it('are not sent when there is no other node', async () => {
    const questions = new Questions();
    expect(await questions.ask(0, () => expect.unreachable())).toEqual({ answers: [], complete: true });
  });
});
