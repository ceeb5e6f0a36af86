import { execFileSync } from 'node:child_process'

/** Stories run the built command line, and agent files the built library: both are built once before them. */
// biome-ignore lint/style/noDefaultExport: vitest asks for one
export default function setup(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
}
