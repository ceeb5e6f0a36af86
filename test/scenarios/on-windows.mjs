/** Preloaded: this process takes its system for Windows. */
Object.defineProperty(process, 'platform', { value: 'win32' })
