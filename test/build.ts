import { execFileSync } from 'node:child_process'

/** Stories run the built command line, and agent files the built library: both are built once before them. */
export default function setup(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
}
