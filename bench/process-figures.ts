/** What Linux tells of a process. */
import { readdirSync, readFileSync } from 'node:fs'

/** In MB; `own` is what no other process shares. */
export function memoryOf(pid: number): { readonly all: number; readonly own: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const of = (name: string) => Number(new RegExp(`${name}:\\s*(\\d+)`).exec(status)?.[1]) / 1024
  return { all: of('VmRSS'), own: of('RssAnon') }
}

/** Milliseconds that it has run, in user and in system. */
export function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return (Number(user) + Number(system)) * 10
}

/** How often its threads have gone to sleep, and so were woken. */
export function sleepsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`).map(id => readFileSync(`/proc/${pid}/task/${id}/status`, 'utf8'))
  return threads.reduce((sum, status) => sum + Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(status)?.[1]), 0)
}

/** Processes besides this one whose command line has the text. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter(pid => commandLine(pid).includes(text))
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
