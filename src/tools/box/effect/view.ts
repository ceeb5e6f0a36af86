/** Shows an overlay to this process while another one has it mounted. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { CallPlace } from '../machine/call-place.ts'
import type { BoxPrograms } from '../machine/machine.ts'
import { PROJECT, withOverlays } from '../mounts/launch.ts'

/** `use` gets the path of the view. @throws what `use` throws, or if the overlay cannot be mounted again */
export async function withView<T>(
  programs: BoxPrograms,
  place: CallPlace,
  use: (view: string) => Promise<T>,
): Promise<T> {
  const args = withOverlays(programs, { root: place.root, overlays: [PROJECT] }, ['/bin/sh', '-c', 'echo; exec cat'])
  const holder = spawn(programs.unshare, args, { stdio: ['pipe', 'pipe', 'pipe'], env: {}, cwd: '/' })
  const ended = new Promise<void>(resolve => holder.once('close', () => resolve()))
  try {
    await mounted(holder)
    return await use(join(`/proc/${holder.pid}/root`, place.view))
  } finally {
    holder.stdin.end()
    await ended
  }
}

type Holder = ReturnType<typeof spawn>

function mounted(holder: Holder): Promise<void> {
  let problem = ''
  holder.stderr?.on('data', (chunk: Buffer) => {
    problem += chunk.toString()
  })
  return new Promise((resolve, reject) => {
    holder.stdout?.once('data', () => resolve())
    holder.once('error', reject)
    holder.once('close', () => reject(new Error(`what the command changed cannot be read: ${problem.trim()}`)))
  })
}
