import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What a process meets on the disk (see shim.c). */
export interface DiskFaults {
  /** The beginning of the paths that count. */
  readonly files: string
  /** `fsync:-wal:2:5`: operation, end of the path, the how manieth (`2+`: and all behind it), errno. */
  readonly faults?: readonly string[]
  /** Is appended to, for `cutPower`. */
  readonly unsynced?: string
}

/** A library that is loaded before that of C. */
export class DiskShim implements Disposable {
  readonly #directory: string
  /** `null` if it was built. */
  readonly missing: string | null

  constructor() {
    this.#directory = mkdtempSync(join(tmpdir(), 'holdpoint-shim-'))
    this.missing = process.platform === 'linux' ? this.#build() : `no LD_PRELOAD on ${process.platform}`
  }

  #build(): string | null {
    const source = join(import.meta.dirname, 'shim.c')
    const built = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', this.#library, source], { encoding: 'utf8' })
    if (built.error) return 'no C compiler'
    return built.status === 0 ? null : `cc failed: ${built.stderr}`
  }

  get #library(): string {
    return join(this.#directory, 'shim.so')
  }

  /** The environment of a process with such a disk. */
  env({ files, faults = [], unsynced }: DiskFaults): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: this.#library,
      DISK_FILES: files,
      DISK_FAULTS: faults.join(' '),
      ...(unsynced !== undefined && { DISK_UNSYNCED: unsynced }),
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true, force: true })
  }
}
