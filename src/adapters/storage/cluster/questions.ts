import { randomUUID } from 'node:crypto';

/** How long to wait for answers: a live node answers sooner, and a dead one must not keep a person waiting. */
const ANSWER_WITHIN_MS = 1_000;
/**
 * Bytes of an answer in one notification: in Base64 and with its envelope, this fits into PostgreSQL's limit of 8000.
 */
const PIECE = 5_400;
/** In bytes; a longer answer is dropped, because no one would read it. */
const LONGEST_ANSWER = 4 * 1024 * 1024;

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
  onResponse(): void;
}

/** This node's questions that are waiting for the answers of other nodes, which arrive in pieces. */
export class Questions {
  readonly #asked = new Map<string, PendingQuestion>();

  /** `others` is the number of nodes that are expected to answer; `send` passes the question to them. */
  async ask(others: number, send: (id: string) => void): Promise<{ answers: readonly Answer[]; complete: boolean }> {
    if (others <= 0) return { answers: [], complete: true };
    const id = randomUUID();
    const answers: Answer[] = [];
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, ANSWER_WITHIN_MS);
      const finishIfComplete = (): void => {
        if (answers.length < others) return;
        clearTimeout(late);
        resolve();
      };
      this.#asked.set(id, { pieces: new Map(), answers, onResponse: finishIfComplete });
      send(id);
    });
    this.#asked.delete(id);
    return { answers, complete: answers.length >= others };
  }

  receivePiece(from: string, { id, n, of, piece }: AnswerPiece): void {
    const asked = this.#asked.get(id);
    if (!asked) return; // too late
    const pieces = asked.pieces.get(from) ?? [];
    asked.pieces.set(from, pieces);
    pieces[n] = piece;
    if (Object.keys(pieces).length < of) return;
    asked.answers.push({ from, text: Buffer.concat(pieces.map((each) => Buffer.from(each, 'base64'))).toString() });
    asked.onResponse();
  }

  static splitIntoPieces(id: string, text: string): AnswerPiece[] {
    const bytes = Buffer.from(text);
    if (bytes.length > LONGEST_ANSWER) return [];
    const of = Math.max(1, Math.ceil(bytes.length / PIECE));
    return Array.from({ length: of }, (_, n) => ({
      id,
      n,
      of,
      piece: bytes.subarray(n * PIECE, (n + 1) * PIECE).toString('base64'),
    }));
  }
}
