/** The main thread's plug-ins, as called from a page thread. */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { type PluginCaller, type PluginCalls, PluginFailed, type PluginHook } from '../../engine/ports/plugins.js';
import { nextSeq } from './page-thread-protocol.js';

interface Call {
  readonly seq: number;
  readonly plugin: string;
  readonly hook: PluginHook;
  readonly argument: unknown;
}

type Answer = { readonly seq: number; readonly answer: unknown } | { readonly seq: number; readonly failure: string };

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

export class RemotePlugins implements PluginCaller {
  private port: MessagePort | undefined;
  private seq = 0;
  private readonly waiting = new Map<number, Waiting>();

  connect(port: MessagePort): void {
    this.port = port;
    port.on('message', (answer: Answer) => this.settleCall(answer));
    port.unref();
  }

  call<H extends PluginHook>(
    plugin: string,
    hook: H,
    argument: PluginCalls[H]['argument'],
  ): Promise<PluginCalls[H]['answer']> {
    const { port } = this;
    if (!port) return Promise.reject(new PluginFailed(`${plugin}: plug-ins are not available here`));
    return new Promise((resolve, reject) => {
      this.seq = nextSeq(this.seq);
      this.waiting.set(this.seq, { resolve, reject });
      port.postMessage({ seq: this.seq, plugin, hook, argument } satisfies Call);
    });
  }

  private settleCall(answer: Answer): void {
    const waiting = this.waiting.get(answer.seq);
    this.waiting.delete(answer.seq);
    if ('failure' in answer) waiting?.reject(new PluginFailed(answer.failure));
    else waiting?.resolve(answer.answer as never);
  }
}

/** Creates the port through which another thread calls these plug-ins. */
export function servePlugins(plugins: PluginCaller): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port1.on('message', ({ seq, plugin, hook, argument }: Call) => {
    plugins.call(plugin, hook, argument as never).then(
      (answer) => port1.postMessage({ seq, answer } satisfies Answer),
      (error: unknown) => port1.postMessage({ seq, failure: (error as Error).message } satisfies Answer),
    );
  });
  port1.unref();
  return port2;
}
