# Whether a packed array can be put into memory last, from a stage of six loops (measured on 2026-11-29 on one validation product).
import sys,time
sys.path.insert(0,__file__.rsplit("/stages", 1)[0] + "/beds")
import rise_plans as R
import cairn_eqsat as cairn
from nests_of import *
p=Product(144*2, 8*55, 5*21, 8, 5)
print(p.names)
system=cairn.System.from_rules(R.rules(p.b,p.c))
def st(loops,end="mac",kept=None):
    ops={"m":"map","P":"mapPar","r":"reduceSeq","u":"reduceSeqUnroll"}
    return tuple((ops[w[0]],w[2:]) for w in loops.split()),end,kept
K=(("map","column-blocks"),("map","inner"),("map","block"))
KV=(("mapPar","column-blocks"),("map","inner"),("vectors","block","block"))
def go(term,stage,caps=(4000,20000)):
    s=p.sized(stage)
    for cap in caps:
        t=time.process_time()
        f=R.smallest(cairn,system,term,sketch(s),cap)
        if f.term is not None:
            print("  ok",cap,f.work,f"{time.process_time()-t:.2f}s size",len(str(f.term).split()),flush=True); return str(f.term)
    print("  NO",f.work,f"{time.process_time()-t:.2f}s",flush=True)
    return None
base=st("m:row-blocks m:block m:column-blocks m:block r:chunks r:chunk")
t0=go(p.term(),base)
for x in ["m:row-blocks m:column-blocks m:block r:chunks r:chunk m:block","m:row-blocks m:block m:column-blocks r:chunks r:chunk m:block","m:row-blocks m:column-blocks r:chunks m:block m:block r:chunk","m:row-blocks m:column-blocks m:block r:chunks m:block r:chunk"]:
    print(x)
    t1=go(t0,st(x))
    if not t1: continue
    for at in (0,1,2):
        print(" pack at",at)
        t2=go(t1,st(x,kept=(at,K)))
        if not t2 or not x.endswith("m:block"): continue
        low=x[:-7]+"m:one"
        low=low.replace("r:chunk ","u:chunk ")
        t3=go(t2,st(low,"vmac",(at,KV)))
        t3=go(t2,st("P"+low[1:],"vmac",(at,KV)))
