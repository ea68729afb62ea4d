/** Reads the files within a document, each of which becomes a document of its own. */
import { createHash } from 'node:crypto';
import type { Extraction } from '../../../engine/ports/content-extractor.js';
import type { PagePart } from '../../../engine/ports/page-content.js';
import { detectMediaType } from '../media-type.js';
import { type DocumentMember, type DocumentRequest, type MemberReader, Unreadable } from './document-content.js';

/** Files in a document are read, and files in those, but none deeper. */
const MAX_DEPTH = 2;
/** Maximum number of files of a document. */
const MAX_FILES = 500;
/** Maximum size of all files together, and of one, in bytes. */
const MAX_BYTES = 512 * 1024 * 1024;
const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** Maximum length of all texts together: for each byte of the document, and for documents of any size. */
const CHARACTERS_PER_BYTE = 4;
const MIN_TEXT_LENGTH = 4_000_000;
const MAX_TEXT_LENGTH = 12_000_000;
/** The share of the time for a document after which no further file is begun. */
const TIME_SHARE = 0.6;
/** Longer paths are shortened, and told apart by a digest. */
const MAX_PATH_LENGTH = 200;
const DIGEST_LENGTH = 16;

export interface ReadFile {
  readonly extraction: Extraction;
  readonly members: readonly DocumentMember[];
}

/** Reads one file. Errors other than Unreadable mean that the reader was interrupted or failed. */
export type FileReader = (
  file: Uint8Array | MemberReader,
  mediaType: string,
  request: DocumentRequest,
) => Promise<ReadFile>;

export interface MemberResult {
  readonly parts: readonly PagePart[];
  /** True if time ran out, so that there may be more files than `parts`. */
  readonly isIncomplete: boolean;
  /** True if a limit was exceeded that applies to the document each time it is read. */
  readonly isTruncated: boolean;
}

/**
 * Reads the members of a document and of the documents in it. Those that cannot be read, or have no text, are left out.
 * @param size the size of the document in bytes
 * @param startedAt when reading the document began, by `now`
 */
export class MemberReading {
  private readonly parts: PagePart[] = [];
  private readonly takenIds = new Set<string>();
  private remainingBytes = MAX_BYTES;
  private remainingText: number;
  private isIncomplete = false;
  private isTruncated = false;
  private readonly deadline: number;
  /** Set if a reader was interrupted or failed, after which its process should end. */
  failed = false;

  constructor(
    size: number,
    private readonly request: DocumentRequest,
    private readonly readFile: FileReader,
    private readonly now: () => number,
    startedAt: number,
  ) {
    this.remainingText = Math.min(Math.max(size * CHARACTERS_PER_BYTE, MIN_TEXT_LENGTH), MAX_TEXT_LENGTH);
    this.deadline = startedAt + request.timeLimit * TIME_SHARE;
  }

  async read(members: readonly DocumentMember[]): Promise<MemberResult> {
    await this.readAll(members, '', 1);
    const { parts, isIncomplete, isTruncated } = this;
    return { parts, isIncomplete, isTruncated };
  }

  private async readAll(members: readonly DocumentMember[], folder: string, depth: number): Promise<void> {
    for (const member of members) {
      if (this.now() > this.deadline) {
        this.isIncomplete = true;
        return;
      }
      if (this.parts.length >= MAX_FILES || this.remainingText <= 0 || this.remainingBytes <= 0) {
        this.isTruncated = true;
        return;
      }
      const file = await this.tryRead(member, depth < MAX_DEPTH);
      if (!file) continue;
      const path = folder + member.path;
      if (file.extraction.text !== '') this.addPart(path, member, file);
      await this.readAll(file.members, `${path}/`, depth + 1);
    }
  }

  private async tryRead(
    member: DocumentMember,
    members: boolean,
  ): Promise<(ReadFile & { mediaType: string }) | undefined> {
    if (member.size > MAX_FILE_BYTES || member.size > this.remainingBytes) {
      this.isTruncated = true;
      return undefined;
    }
    try {
      const opened = member.open();
      this.remainingBytes -= opened instanceof Uint8Array ? opened.byteLength : member.size;
      const mediaType =
        opened instanceof Uint8Array
          ? detectMediaType(opened, member.contentType, `/${member.path}`)
          : (member.contentType ?? '');
      const maxTextLength = Math.min(this.request.maxTextLength, this.remainingText);
      const remainingTime = Math.max(1, Math.ceil(this.deadline - this.now()));
      const file = await this.readFile(opened, mediaType, {
        ...this.request,
        mediaType,
        maxTextLength,
        members,
        timeLimit: remainingTime,
        clockLimit: remainingTime,
      });
      this.remainingText -= file.extraction.text.length;
      return { ...file, mediaType };
    } catch (error) {
      if (!(error instanceof Unreadable)) this.failed = true;
      return undefined;
    }
  }

  private addPart(
    path: string,
    { size }: DocumentMember,
    { extraction, mediaType }: ReadFile & { mediaType: string },
  ): void {
    const { title, text, headings, language, metas, fields } = extraction;
    const name = path.slice(path.lastIndexOf('/') + 1);
    this.parts.push({
      id: this.createId(path),
      title: title || name,
      text,
      ...(headings ? { headings } : {}),
      file: { name, size, mediaType, language, metas, fields },
    });
  }

  private createId(path: string): string {
    const digest = (): string => createHash('sha256').update(path).digest('hex').slice(0, DIGEST_LENGTH);
    const name = path.length > MAX_PATH_LENGTH ? `${digest()}-${path.slice(-MAX_PATH_LENGTH)}` : path;
    const base = `member=${encodeURIComponent(name.toWellFormed())}`;
    let id = base;
    for (let suffix = 2; this.takenIds.has(id); suffix++) id = `${base}-${suffix}`;
    this.takenIds.add(id);
    return id;
  }
}
