/** Lets a page thread call the main thread's plug-ins. */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { type PluginCaller, type PluginCalls, PluginFailed, type PluginHook } from '../../engine/ports/plugins.js';
import { incrementSeq } from './page-thread-protocol.js';

interface PluginCall {
  readonly seq: number;
  readonly plugin: string;
  readonly hook: PluginHook;
  readonly argument: unknown;
}

type PluginAnswer =
  | { readonly seq: number; readonly answer: unknown }
  | { readonly seq: number; readonly failure: string };

interface PendingCall {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

export class RemotePlugins implements PluginCaller {
  private port: MessagePort | undefined;
  private lastSeq = 0;
  private readonly pendingCalls = new Map<number, PendingCall>();

  connect(port: MessagePort): void {
    this.port = port;
    port.on('message', (answer: PluginAnswer) => this.settleCall(answer));
    port.unref();
  }

  call<H extends PluginHook>(
    plugin: string,
    hook: H,
    argument: PluginCalls[H]['argument'],
  ): Promise<PluginCalls[H]['answer']> {
    const { port } = this;
    if (!port) return Promise.reject(new PluginFailed(`${plugin}: plug-ins are not available in this thread`));
    return new Promise((resolve, reject) => {
      this.lastSeq = incrementSeq(this.lastSeq);
      this.pendingCalls.set(this.lastSeq, { resolve, reject });
      port.postMessage({ seq: this.lastSeq, plugin, hook, argument } satisfies PluginCall);
    });
  }

  private settleCall(answer: PluginAnswer): void {
    const pendingCall = this.pendingCalls.get(answer.seq);
    this.pendingCalls.delete(answer.seq);
    if ('failure' in answer) pendingCall?.reject(new PluginFailed(answer.failure));
    else pendingCall?.resolve(answer.answer as never);
  }
}

/** Creates the port through which another thread calls these plug-ins. */
export function servePlugins(plugins: PluginCaller): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port1.on('message', ({ seq, plugin, hook, argument }: PluginCall) => {
    plugins.call(plugin, hook, argument as never).then(
      (answer) => port1.postMessage({ seq, answer } satisfies PluginAnswer),
      (error: unknown) => port1.postMessage({ seq, failure: (error as Error).message } satisfies PluginAnswer),
    );
  });
  port1.unref();
  return port2;
}
