import { randomUUID } from 'node:crypto';

/** A node that is alive answers sooner; one that is not must not keep a person waiting. */
const ANSWER_WITHIN_MS = 1_000;
/** Bytes of an answer in one notification; as base64 with its envelope, it fits into PostgreSQL's 8000. */
const PIECE = 5_400;
/** A longer answer counts as none: nobody would read it. */
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
  /** Base64. */
  readonly piece: string;
}

interface PendingQuestion {
  readonly pieces: Map<string, string[]>;
  readonly answers: Answer[];
  onResponse(): void;
}

/** Questions of this node that wait for the answers of others, which come in pieces. */
export class Questions {
  readonly #asked = new Map<string, PendingQuestion>();

  /** `send` passes the question to the others and returns how many can answer. */
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
