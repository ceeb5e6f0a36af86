import { RefusedError } from '../../../core/errors.ts'
import type { CommandContext } from '../../command/command.ts'
import { readConfig } from '../../project/project.ts'
import { refuseUntrusted } from '../../project/trust.ts'
import { openNotifying } from '../../worker/notify-beside.ts'
import { openForReading, refuseWords } from '../open-for-reading.ts'

/** Sends what is due now, and ends: for pipelines, in which nothing keeps running. */
export async function sendDue(context: CommandContext, words: readonly string[]): Promise<number> {
  const { directory, env, io } = context
  refuseWords(words, 'notices send')
  const config = await readConfig(directory, env)
  await refuseUntrusted(directory, config, env)
  let failed = false
  const err = (text: string) => {
    failed = true
    io.err(text)
  }
  const telling = { as: 'holdpoint notices', err, log: null, saysEach: true } as const
  const notices = await openNotifying(config, { directory, env, ...telling })
  if (notices === null) throw noChannels()
  await using app = await openForReading(context)
  await notices.run(app, { signal: new AbortController().signal, once: true })
  return failed ? 1 : 0
}

export function noChannels(): RefusedError {
  return new RefusedError('no_channels', 'This project tells nobody: its configuration has no notify.channels.', {
    hint: 'Write one into .holdpoint/config.json; docs/notices.md has examples.',
  })
}
