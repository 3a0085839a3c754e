/** The part of transformers.js in use. The package is optional: the build needs its types where it could not be installed. */

declare module '@huggingface/transformers' {
  export class Tensor {
    readonly type: string;
    readonly dims: readonly number[];
    readonly data: unknown;
    to(type: 'float32'): Tensor;
  }
  interface Options {
    readonly local_files_only: boolean;
    readonly cache_dir?: string;
    readonly progress_callback?: (step: {
      status: string;
      file?: string;
      loaded?: number;
      total?: number;
    }) => void;
  }
  interface Inputs {
    readonly input_ids: { readonly dims: readonly number[] };
    readonly attention_mask: { readonly data: ArrayLike<number | bigint> };
  }
  type Tokenizer = (
    texts: string[],
    options: { padding: boolean; truncation: boolean; max_length: number },
  ) => Inputs;
  type Network = (inputs: Inputs) => Promise<Record<string, unknown>>;
  export const AutoTokenizer: { from_pretrained(path: string, options: Options): Promise<Tokenizer> };
  export const AutoModel: {
    from_pretrained(path: string, options: Options & { readonly dtype: string }): Promise<Network>;
  };
  export const LogLevel: { readonly ERROR: number };
  export const env: { logLevel: number };
}
