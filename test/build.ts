import { execFileSync } from 'node:child_process'

/** Stories run the built command line, so it is built once before them. */
export default function setup(): void {
  execFileSync('npm', ['run', '--silent', 'build:cli'], { stdio: 'inherit' })
}
