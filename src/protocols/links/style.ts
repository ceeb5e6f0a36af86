/** Dark and light, phone and desktop. The policy of the page takes styles from a file of this server alone. */
export const STYLE = `:root { color-scheme: light dark; --edge: #c9ccd1; --soft: #f4f5f7; --link: #0b57d0; --warn: #8f1d1d; --warn-soft: #fdecec; }
@media (prefers-color-scheme: dark) {
  :root { --edge: #474b52; --soft: #23262b; --link: #8ab4f8; --warn: #ffb4ab; --warn-soft: #3b1d1d; }
}
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 46rem; padding: 1.5rem 1rem 4rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; line-height: 1.3; margin: 0 0 1rem; }
h2 { font-size: 1.05rem; margin: 1.75rem 0 .5rem; }
p { margin: .5rem 0; }
a { color: var(--link); }
pre { background: var(--soft); border: 1px solid var(--edge); border-radius: .5rem; font: .875rem/1.5 ui-monospace, monospace; margin: .5rem 0; padding: .75rem; white-space: pre-wrap; }
pre.wide { overflow-x: auto; white-space: pre; }
dl { display: grid; gap: .25rem 1rem; grid-template-columns: max-content 1fr; margin: 1rem 0; }
dt { opacity: .75; }
dd { margin: 0; }
ol, ul { margin: .5rem 0; padding-left: 1.25rem; }
form { border: 1px solid var(--edge); border-radius: .5rem; margin: 1rem 0; padding: 1rem; }
fieldset { border: 0; margin: 0; padding: 0; }
label { display: block; margin: .25rem 0; }
textarea { background: transparent; border: 1px solid var(--edge); border-radius: .375rem; color: inherit; font: inherit; padding: .5rem; width: 100%; }
button { background: var(--link); border: 0; border-radius: .375rem; color: Canvas; cursor: pointer; font: inherit; font-weight: 600; margin-top: .75rem; min-height: 2.75rem; padding: .5rem 1.25rem; }
button.no { background: transparent; border: 1px solid currentColor; color: inherit; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.warn { background: var(--warn-soft); border-radius: .5rem; color: var(--warn); font-weight: 600; padding: .75rem; }
del { color: var(--warn); text-decoration: none; }
ins { color: var(--link); text-decoration: none; }
img { max-width: 100%; }
.quiet { opacity: .75; }
@media (max-width: 30rem) {
  dl { grid-template-columns: 1fr; }
  dd { margin-bottom: .5rem; }
  button { width: 100%; }
}
`
