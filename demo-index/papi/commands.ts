import type { IncomingMessage } from 'node:http';
import { createTextResponse, NO_CONTENT, type ResponseData } from '../answer.js';
import type { IndexStore } from '../store/store.js';
import { parseDocuments } from './documents.js';
import { type Form, readForm } from './form.js';
import { ENUMERATION_MODE, formatEntry, formatStatus, PARAMETER } from './names.js';
import { Parameters } from './parameters.js';
import { Refusal } from './refusal.js';

interface Command {
  readonly method: 'GET' | 'POST';
  run(call: Call): ResponseData;
}

/** One call of a command. The parameters in the query string are listed before those in the body. */
interface Call {
  readonly store: IndexStore;
  readonly connector: string;
  readonly parameters: Parameters;
  readonly form: Form;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  get_current_session_id: { method: 'GET', run: ({ store }) => createTextResponse(String(store.session)) },
  add_documents: { method: 'POST', run: addDocuments },
  delete_documents: { method: 'POST', run: deleteDocuments },
  delete_documents_root_path: { method: 'POST', run: deleteRootPath },
  set_checkpoint: { method: 'POST', run: setCheckpoint },
  get_checkpoint: { method: 'GET', run: getCheckpoint },
  get_documents_status: { method: 'GET', run: getDocumentsStatus },
  enumerate_synced_entries: { method: 'GET', run: enumerateEntries },
};

function addDocuments({ store, connector, form }: Call): ResponseData {
  store.add(connector, parseDocuments(form));
  return NO_CONTENT;
}

function deleteDocuments({ store, connector, parameters }: Call): ResponseData {
  store.delete(connector, parameters.getAll(PARAMETER.uri));
  return NO_CONTENT;
}

function deleteRootPath({ store, connector, parameters }: Call): ResponseData {
  const root = parameters.getRequired(PARAMETER.rootPath);
  store.deleteSubtree(connector, root, parameters.getFlag(PARAMETER.recursive, true));
  return NO_CONTENT;
}

/** Syncs every checkpoint, even with `PAPI_sync=false`, because this costs only one flush. */
function setCheckpoint({ store, connector, parameters }: Call): ResponseData {
  parameters.getFlag(PARAMETER.sync, false);
  const name = parameters.getOptional(PARAMETER.name) ?? '';
  return createTextResponse(String(store.setCheckpoint(connector, name, parameters.getRequired(PARAMETER.checkpoint))));
}

function getCheckpoint({ store, connector, parameters }: Call): ResponseData {
  const value = store.getCheckpoint(connector, parameters.getOptional(PARAMETER.name) ?? '');
  return value === undefined ? NO_CONTENT : createTextResponse(value);
}

function getDocumentsStatus({ store, connector, parameters }: Call): ResponseData {
  return createTextResponse(
    parameters.getAll(PARAMETER.uri).map((uri) => formatStatus(uri, store.findStamp(connector, uri))),
  );
}

function enumerateEntries({ store, connector, parameters }: Call): ResponseData {
  const mode = parameters.getOptional(PARAMETER.mode) ?? ENUMERATION_MODE.all;
  if (mode !== ENUMERATION_MODE.all && mode !== ENUMERATION_MODE.direct)
    throw new Refusal(`${PARAMETER.mode} must be ${ENUMERATION_MODE.all} or ${ENUMERATION_MODE.direct}, not ${mode}`);
  store.sync();
  const root = parameters.getOptional(PARAMETER.rootPath) ?? '';
  return createTextResponse(formatEntries(store.listEntries(connector, root, mode === ENUMERATION_MODE.all)));
}

function* formatEntries(entries: Iterable<{ uri: string; stamp: string }>): Generator<string> {
  for (const { uri, stamp } of entries) yield formatEntry(uri, stamp);
}

/** Runs one command. Throws a Refusal if the connector has made an error. */
export async function runCommand(
  store: IndexStore,
  target: { readonly connector: string; readonly command: string; readonly query: URLSearchParams },
  request: IncomingMessage,
): Promise<ResponseData> {
  const command = Object.hasOwn(COMMANDS, target.command) ? COMMANDS[target.command] : undefined;
  if (!command)
    throw new Refusal(`unknown command ${target.command}; the commands are ${Object.keys(COMMANDS).join(', ')}`);
  if (request.method !== command.method) throw new Refusal(`${target.command} requires ${command.method}`, 405);
  new Parameters(target.query).requireCurrentSession(store.session); // before the body is read
  const hasBody = request.method === 'POST' && request.headers['content-type'] !== undefined;
  const form = hasBody ? await readForm(request) : { fields: [], files: [] };
  const parameters = new Parameters(target.query, form.fields);
  parameters.requireCurrentSession(store.session);
  const documents = { files: form.files, fields: form.fields.filter((field) => !COMMON_PARAMETERS.has(field.name)) };
  return command.run({ store, connector: target.connector, parameters, form: documents });
}

const COMMON_PARAMETERS: ReadonlySet<string> = new Set(Object.values(PARAMETER));
