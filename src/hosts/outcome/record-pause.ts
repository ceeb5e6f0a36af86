import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import type { RunView } from '../../runtime/views/run-view.ts'
import { fitsScreen } from '../display/fits-screen.ts'
import type { Io } from '../process/io.ts'
import { recordShown } from '../project/record-shown.ts'
import { pauseText } from './pause-lines.ts'

interface Showing {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly io: Io
}

/** P10: records who is about to be shown this pause. Of one that is longer than the screen, the beginning is not seen. */
export function recordPause(holdpoint: Pick<Holdpoint, 'audit'>, view: RunView, { env, io }: Showing): Promise<void> {
  return recordShown(holdpoint, view.holds, { env, io, inFull: fitsScreen(pauseText(view), io) })
}
