import { RefusedError } from '../../../core/errors.ts'
import type { Flag, Given } from '../../command/flags.ts'

export type LogFormat = 'text' | 'json'

export const LOG_FLAG: Flag = {
  name: 'log',
  value: 'FORMAT',
  help: 'stderr as text (default) or json: a line for each event, with ids and without content',
}

/** @throws RefusedError `invalid_arguments` */
export function readLogFormat(given: Given): LogFormat {
  const format = given.value(LOG_FLAG.name) ?? 'text'
  if (format === 'text' || format === 'json') return format
  throw new RefusedError('invalid_arguments', `--log ${JSON.stringify(format)} is no format of a log.`, {
    hint: 'Write --log text or --log json.',
  })
}
