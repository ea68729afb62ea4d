/**
 * The launcher runs the program as its child. A killed launcher (kill -9) cannot pass on a signal: but the channel
 * between them closes, and the program then shuts down cleanly, as on SIGTERM. The launched program imports this file
 * for its side effect.
 */
if (process.channel) {
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // Does not keep the program alive on its own.
  process.channel.unref();
}
