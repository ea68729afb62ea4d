import { randomUUID } from 'node:crypto';

/** How long to wait for answers: a live node answers sooner, and a dead one must not keep the user waiting. */
const ANSWER_WITHIN_MS = 1_000;
/**
 * Bytes of an answer in one notification: in Base64 and with its envelope, this fits into PostgreSQL's limit of 8000.
 */
const PIECE_BYTES = 5_400;
/** In bytes; a longer answer is dropped, because no one would read it. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

export interface Answer {
  readonly from: string;
  readonly text: string;
}

/** One piece of an answer in transit. */
export interface AnswerPiece {
  readonly id: string;
  readonly n: number;
  readonly of: number;
  /** In Base64. */
  readonly piece: string;
}

interface PendingQuestion {
  readonly pieces: Map<string, string[]>;
  readonly answers: Answer[];
  onAnswer(): void;
}

/** This node's questions that are waiting for the answers of other nodes, which arrive in pieces. */
export class Questions {
  readonly #pendingQuestions = new Map<string, PendingQuestion>();

  /** `expectedCount` is the number of nodes that are expected to answer; `send` passes the question to them. */
  async ask(
    expectedCount: number,
    send: (id: string) => void,
  ): Promise<{ answers: readonly Answer[]; complete: boolean }> {
    if (expectedCount <= 0) return { answers: [], complete: true };
    const id = randomUUID();
    const answers: Answer[] = [];
    await new Promise<void>((resolve) => {
      const timeout = setTimeout(resolve, ANSWER_WITHIN_MS);
      const finishIfComplete = (): void => {
        if (answers.length < expectedCount) return;
        clearTimeout(timeout);
        resolve();
      };
      this.#pendingQuestions.set(id, { pieces: new Map(), answers, onAnswer: finishIfComplete });
      send(id);
    });
    this.#pendingQuestions.delete(id);
    return { answers, complete: answers.length >= expectedCount };
  }

  receivePiece(from: string, { id, n, of, piece }: AnswerPiece): void {
    const question = this.#pendingQuestions.get(id);
    if (!question) return; // The answer came too late.
    const pieces = question.pieces.get(from) ?? [];
    question.pieces.set(from, pieces);
    pieces[n] = piece;
    if (Object.keys(pieces).length < of) return;
    question.answers.push({
      from,
      text: Buffer.concat(pieces.map((encoded) => Buffer.from(encoded, 'base64'))).toString(),
    });
    question.onAnswer();
  }

  static splitIntoPieces(id: string, text: string): AnswerPiece[] {
    const bytes = Buffer.from(text);
    if (bytes.length > MAX_ANSWER_BYTES) return [];
    const count = Math.max(1, Math.ceil(bytes.length / PIECE_BYTES));
    return Array.from({ length: count }, (_, n) => ({
      id,
      n,
      of: count,
      piece: bytes.subarray(n * PIECE_BYTES, (n + 1) * PIECE_BYTES).toString('base64'),
    }));
  }
}
