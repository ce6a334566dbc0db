# SPDX-License-Identifier: MIT
"""A small LLaMA of transformers generates text, greedily, with its KV cache."""
import torch
from transformers import LlamaConfig, LlamaForCausalLM

torch.manual_seed(0)
config = LlamaConfig(vocab_size=8192, hidden_size=512, intermediate_size=1536,
                     num_hidden_layers=2, num_attention_heads=8,
                     num_key_value_heads=8, max_position_embeddings=512)
model = LlamaForCausalLM(config).to("cuda").eval()
for prompt in range(2):
    ids = torch.randint(8192, (1, 32)).to("cuda")
    with torch.no_grad():
        out = model.generate(ids, attention_mask=torch.ones_like(ids),
                             max_new_tokens=24, min_new_tokens=24,
                             do_sample=False, pad_token_id=0)
    print(prompt, out[0, -8:].tolist())
