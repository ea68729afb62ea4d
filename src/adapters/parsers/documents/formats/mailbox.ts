/** Reads mailboxes (RFC 4155): messages one after the other, each after a line that begins with `From `. */
import { DocumentContent, type DocumentRequest, Unreadable } from '../document-content.js';
import { readMail } from './mail.js';

const SEPARATOR = Buffer.from('From ');
const NEXT_SEPARATOR = Buffer.from('\nFrom ');
const MAX_MESSAGES = 10_000;

/** The text is that of all messages; if they are documents of their own, only their subjects. */
export async function readMailbox(body: Uint8Array, request: DocumentRequest): Promise<DocumentContent> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (bytes.indexOf(SEPARATOR) !== 0) throw new Unreadable('extract-corrupt', 'the mailbox does not begin with From');
  const content = new DocumentContent(request);
  const messages = listMessages(bytes);
  content.addField('message_count', String(messages.length));
  for (const [index, message] of messages.entries()) {
    if (content.isFull) break;
    content.addMember({
      path: `message-${index + 1}.eml`,
      size: message.byteLength,
      contentType: 'message/rfc822',
      open: () => message,
    });
    const mail = await readMail(message, { ...request, members: false }).catch(() => undefined);
    if (!mail) continue;
    const { title, text, links } = mail.finish(() => undefined);
    content.addBlocks(request.members ? title : `${title}\n${text}`, '\n');
    content.endBlock();
    for (const { href } of links) content.addLink(href);
  }
  return content;
}

function listMessages(bytes: Buffer): Buffer[] {
  const messages: Buffer[] = [];
  let start = 0;
  while (start < bytes.length && messages.length < MAX_MESSAGES) {
    const next = bytes.indexOf(NEXT_SEPARATOR, start);
    const end = next < 0 ? bytes.length : next + 1;
    const lineEnd = bytes.indexOf('\n', start);
    if (lineEnd >= 0 && lineEnd + 1 < end) messages.push(bytes.subarray(lineEnd + 1, end));
    start = end;
  }
  return messages;
}
