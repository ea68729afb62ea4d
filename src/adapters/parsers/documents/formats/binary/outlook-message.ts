/** Reads messages saved by Outlook ([MS-OXMSG]): a storage with a stream for each property, and storages of recipients and attachments. */
import { isUtf8 } from 'node:buffer';
import { DocumentContent, type DocumentRequest } from '../../document-content.js';
import { addLinksOfText, readHtmlPart } from '../mail.js';
import { readRtf } from '../rtf.js';
import { decodeCodePage, findCodePageOfLanguage, WESTERN } from './code-pages.js';
import { type CompoundEntry, type CompoundFile, sumSizes } from './compound-file.js';
import { decompressRtf } from './compressed-rtf.js';
import { readFileTime, readInt, readShort } from './little-endian.js';

/** Properties by their identifiers ([MS-OXPROPS]). */
const PROPERTY = {
  subject: '0037',
  submitTime: 0x0039,
  senderName: '0c1a',
  senderAddress: '0c1f',
  senderSmtpAddress: '5d01',
  deliveryTime: 0x0e06,
  body: '1000',
  compressedRtf: '1009',
  html: '1013',
  messageId: '1035',
  displayName: '3001',
  address: '3003',
  creationTime: 0x3007,
  attachmentData: '3701',
  attachmentName: '3704',
  attachmentLongName: '3707',
  smtpAddress: '39fe',
  internetCodePage: 0x3fde,
  locale: 0x3ff1,
  messageCodePage: 0x3ffd,
} as const;

/** Of the recipients; those after the first ones share values of at most this length in characters. */
const MAX_RECIPIENTS = 5_000;
const MAX_SINGLE_RECIPIENTS = 100;
const MAX_LIST_LENGTH = 4_000;
const MAX_ATTACHMENTS = 500;
const UTF_16 = 1200;
const UTF_8 = 65001;
/** Size of the head of the properties' stream of a message, and of recipients and attachments. */
const HEAD_SIZES = { message: 32, attachedMessage: 24, part: 8 } as const;
/** How deep attached messages are read. */
const MAX_DEPTH = 10;
const PROPERTY_SIZE = 16;

/** Whether the file is a message: its properties have a stream of this name. */
export const isOutlookMessage = (file: CompoundFile): boolean => file.find('__properties_version1.0') !== undefined;

export const readOutlookMessage = (file: CompoundFile, request: DocumentRequest): DocumentContent =>
  readMessage(new PropertyReader(file, file.root, HEAD_SIZES.message), request);

function readMessage(message: PropertyReader, request: DocumentRequest): DocumentContent {
  const content = new DocumentContent(request);
  content.title = message.readText(PROPERTY.subject) ?? '';
  content.addAuthor(
    formatAddress(
      message.readText(PROPERTY.senderName),
      message.readText(PROPERTY.senderSmtpAddress) ?? message.readText(PROPERTY.senderAddress),
    ),
  );
  addRecipients(message, content);
  content.addTime(
    'date_created',
    message.readTime(PROPERTY.submitTime) ??
      message.readTime(PROPERTY.deliveryTime) ??
      message.readTime(PROPERTY.creationTime),
  );
  content.addField('message_id', message.readText(PROPERTY.messageId));
  for (const attachment of message.listParts('__attach', MAX_ATTACHMENTS)) addAttachment(attachment, content, request);
  readBody(message, content, request);
  readAttachedMessages(message, content, request, 1);
  return content;
}

function addRecipients(message: PropertyReader, content: DocumentContent): void {
  let list = '';
  for (const [index, recipient] of message.listParts('__recip', MAX_RECIPIENTS).entries()) {
    const address = recipient.readText(PROPERTY.smtpAddress) ?? recipient.readText(PROPERTY.address);
    const name = formatAddress(recipient.readText(PROPERTY.displayName), address);
    if (index <= MAX_SINGLE_RECIPIENTS || list.length + name.length > MAX_LIST_LENGTH) {
      content.addField('recipient', list);
      list = name;
    } else if (name !== '') list += `; ${name}`;
  }
  content.addField('recipient', list);
}

/** Reads the messages that are attached: their subjects, and their texts unless they are documents of their own. */
function readAttachedMessages(
  message: PropertyReader,
  content: DocumentContent,
  request: DocumentRequest,
  depth: number,
): void {
  for (const attachment of message.listParts('__attach', MAX_ATTACHMENTS)) {
    const attached = depth <= MAX_DEPTH && !content.isFull ? attachment.findMessage() : undefined;
    if (!attached) continue;
    content.endBlock();
    content.addText(attached.readText(PROPERTY.subject) ?? '');
    content.endBlock();
    if (request.members) continue;
    readBody(attached, content, request);
    readAttachedMessages(attached, content, request, depth + 1);
  }
}

function addAttachment(attachment: PropertyReader, content: DocumentContent, { members }: DocumentRequest): void {
  const name = findAttachmentName(attachment);
  content.addField('attachment', name);
  if (!members) return;
  const message = attachment.findMessage();
  if (message) {
    const path = `${(name ?? 'message').replaceAll('/', '-')}.msg`;
    const read = (request: DocumentRequest): DocumentContent => readMessage(message, request);
    content.addMember({ path, size: message.totalSize, contentType: OUTLOOK, open: () => read });
  }
  const size = attachment.getSize(PROPERTY.attachmentData);
  if (size > 0)
    content.addMember({ path: name ?? 'attachment', size, open: () => attachment.readBytes(PROPERTY.attachmentData) });
}

const OUTLOOK = 'application/vnd.ms-outlook';

const findAttachmentName = (attachment: PropertyReader): string | undefined =>
  attachment.readText(PROPERTY.attachmentLongName) ??
  attachment.readText(PROPERTY.attachmentName) ??
  attachment.readText(PROPERTY.displayName);

/** Reads the plain text, or else the HTML or RTF of the message. */
function readBody(message: PropertyReader, content: DocumentContent, request: DocumentRequest): void {
  const text = message.readText(PROPERTY.body);
  if (text?.trim()) {
    content.addBlocks(text, '\n\n');
    addLinksOfText(text, content);
    return;
  }
  const html = message.readText(PROPERTY.html);
  if (html) {
    readHtmlPart(html, content, request);
    return;
  }
  const rtf = decompressRtf(message.readBytes(PROPERTY.compressedRtf));
  if (rtf.length === 0) return;
  const { text: rtfText, links } = readRtf(rtf, request).finish(() => undefined);
  content.addBlocks(rtfText, '\n');
  for (const { href } of links) content.addLink(href);
}

/** Exchange names senders by a path within the organization, which is no address for others. */
function formatAddress(name: string | undefined, address: string | undefined): string {
  const usable = address?.includes('@') && !address.startsWith('/') ? address : undefined;
  return name && usable && name !== usable ? `${name} <${usable}>` : name || usable || '';
}

/** Reads the properties of a message, recipient or attachment. */
class PropertyReader {
  private readonly fixed: Buffer;
  private readonly codePage: number;

  constructor(
    private readonly file: CompoundFile,
    private readonly storage: CompoundEntry,
    headSize: number,
    codePage?: number,
  ) {
    this.fixed = file.read(storage.children?.get('__properties_version1.0')).subarray(headSize);
    this.codePage = codePage ?? this.findCodePage();
  }

  /** Reads a text in UTF-16, in the message's code page, or, as HTML may be, in bytes of its own code page. */
  readText(id: string): string | undefined {
    const { file } = this;
    const wide = this.findStream(id, '001f');
    if (wide) return trimEnd(file.read(wide).toString('utf16le'));
    const narrow = this.findStream(id, '001e');
    if (narrow) return trimEnd(this.decode(file.read(narrow), this.codePage));
    const bytes = this.findStream(id, '0102');
    return bytes && this.decode(file.read(bytes), this.findNumber(PROPERTY.internetCodePage) || this.codePage);
  }

  /** Messages that came from the Internet in UTF-8 say so even if their properties are in the sender's code page. */
  private decode(bytes: Buffer, codePage: number): string {
    return decodeCodePage(bytes, codePage === UTF_8 && !isUtf8(bytes) ? WESTERN : codePage);
  }

  readBytes(id: string): Buffer {
    return this.file.read(this.findStream(id, '0102'));
  }

  get totalSize(): number {
    return sumSizes(this.storage);
  }

  getSize(id: string): number {
    return this.findStream(id, '0102')?.size ?? 0;
  }

  readTime(id: number): string | undefined {
    const at = this.findFixed(id);
    return at === undefined ? undefined : readFileTime(this.fixed, at + 8);
  }

  /** Lists the recipients or attachments, in the order of their numbers. */
  listParts(prefix: string, maxCount: number): PropertyReader[] {
    const names = [...(this.storage.children?.keys() ?? [])].filter((name) => name.startsWith(prefix)).sort();
    return names
      .slice(0, maxCount)
      .map((name) => new PropertyReader(this.file, this.storage.children!.get(name)!, HEAD_SIZES.part, this.codePage));
  }

  /** Texts are in UTF-16, or in the code page of the message, or in that of its language or of its encoding for the Internet. */
  private findCodePage(): number {
    const codePage = this.findNumber(PROPERTY.messageCodePage);
    if (codePage !== 0 && codePage !== UTF_16) return codePage;
    const ofLocale = findCodePageOfLanguage(this.findNumber(PROPERTY.locale));
    return ofLocale === WESTERN ? this.findNumber(PROPERTY.internetCodePage) || WESTERN : ofLocale;
  }

  /** The message that an attachment is; undefined if it is a file. */
  findMessage(): PropertyReader | undefined {
    const storage = this.storage.children?.get(`__substg1.0_${PROPERTY.attachmentData}000d`);
    if (!storage?.children) return undefined;
    return new PropertyReader(this.file, storage, HEAD_SIZES.attachedMessage, this.codePage);
  }

  private findStream(id: string, type: string): CompoundEntry | undefined {
    return this.storage.children?.get(`__substg1.0_${id}${type}`);
  }

  private findNumber(id: number): number {
    const at = this.findFixed(id);
    return at === undefined ? 0 : readInt(this.fixed, at + 8);
  }

  /** Properties of a fixed size are in one stream: type, identifier, flags and value. */
  private findFixed(id: number): number | undefined {
    for (let at = 0; at + PROPERTY_SIZE <= this.fixed.length; at += PROPERTY_SIZE)
      if (readShort(this.fixed, at + 2) === id) return at;
    return undefined;
  }
}

function trimEnd(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === 0) end--;
  return text.slice(0, end);
}
