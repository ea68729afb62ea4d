/**
 * The launcher runs the program as its child. A killed launcher (kill -9) cannot pass on a signal: the channel between them closes,
 * and the program then ends in order, as it would by SIGTERM. The launched program imports this file for its effect.
 */
if (process.channel) {
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // Does not keep the program alive on its own.
  process.channel.unref();
}
