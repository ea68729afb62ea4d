/**
 * Pages that scripts make, by name: the start pages of frameworks without the framework (the server puts a stand-in in
 * place of each missing script), and pages that use one mechanism of the browser each. `{{peer}}` is another origin.
 */
export const SCRIPT_MADE_PAGES: Readonly<Record<string, string>> = {
  alpine:
    '<div x-data="{a:[1]}"><template x-for="i in a"><p x-text=i></p></template></div><script src=/alpine.js defer></script>',
  aurelia: '<body aurelia-app=main></body><script src=/app.js></script>',
  closed:
    '<x-c></x-c><script>customElements.define("x-c",class extends HTMLElement{connectedCallback(){this.attachShadow({mode:"closed"}).innerHTML="<p>words</p>"}})</script>',
  cors: '<div id=o></div><script>fetch("{{peer}}/x").then(r=>r.text()).then(t=>o.innerHTML=t)</script>',
  docsify: '<div id=app></div><script>window.$docsify={}</script><script src=/docsify.js></script>',
  docwrite: '<script>document.write("<p>All of the text is written</p>")</script>',
  graphql: '<div id=root></div><script type=module src=/app.js></script>',
  hash: '<main id=app></main><script src=/app.js></script>',
  htmx: '<div hx-get=/p hx-trigger=load></div><script src=/htmx.js></script>',
  i18n: '<h1 data-i18n=title></h1><p data-i18n=text></p><script src=/app.js></script>',
  idle: '<div id=o></div><script>requestIdleCallback(()=>o.innerHTML="<p>later</p>")</script>',
  iframe: '<h1>Handbook</h1><iframe src=/content.html></iframe>',
  indexeddb: '<div id=out></div><script src=/app.js></script>',
  infinite:
    '<h1>News</h1><div id=l></div><script>let n=0;function more(){for(let i=0;i<10;i++){const p=document.createElement("p");p.textContent="item "+n++;l.append(p)}}more();onscroll=more</script>',
  jsonld: '<div id=root></div><script type=module src=/app.js></script>',
  late: '<div id=o>Please wait</div><script>setTimeout(()=>o.innerHTML="<p>words</p>",5000)</script>',
  lazyimg:
    '<h1>Pictures</h1><div id=l></div><script>for(let i=0;i<9;i++)l.insertAdjacentHTML("beforeend","<figure><img data-src=a.png><figcaption>Picture "+i+"</figcaption></figure>")</script>',
  lit: '<my-app></my-app><script type=module src=/app.js></script>',
  loadmore:
    '<h1>List</h1><div id=l></div><button id=m>More</button><script>m.onclick=()=>fetch("/x").then(r=>r.text()).then(t=>l.innerHTML+=t);m.click()</script>',
  mithril: '<div id=app></div><script src=/app.js></script>',
  navmodule: '<nav id=n></nav><main id=m></main><script type=module src=/app.js></script>',
  onclick:
    '<h1>Menu</h1><div id=m></div><script>for(const r of ["a","b"]){const d=document.createElement("div");d.onclick=()=>history.pushState(0,"",r);d.textContent=r;m.append(d)}</script>',
  polling: '<div id=o></div><script>setInterval(()=>fetch("/p").then(r=>r.text()).then(t=>o.innerHTML=t),800)</script>',
  pushstate: '<div id=view></div><script src=/app.js></script>',
  put: '<div id=o></div><script src=/app.js></script>',
  raf: '<div id=o></div><script>let n=0;(function f(){if(n++<60)requestAnimationFrame(f);else o.textContent="words"})()</script>',
  redirect: '<script>location.replace("/real")</script>',
  riot: '<app></app><script src=/app.js></script>',
  slow: '<div id=o>Loading...</div><script>fetch("/slow").then(r=>r.text()).then(t=>o.textContent=t)</script>',
  solid: '<div id=root></div><script type=module src=/app.js></script>',
  srcdoc: '<script>const f=document.createElement("iframe");f.srcdoc="<p>in</p>";document.body.append(f)</script>',
  sse: '<ul id=o></ul><script>new EventSource("/e").onmessage=e=>o.insertAdjacentHTML("beforeend","<li>"+e.data)</script>',
  stimulus: '<div data-controller=list data-list-url=/x></div><script type=module src=/app.js></script>',
  stream:
    '<div id=o></div><script>fetch("/s").then(async r=>{for await(const c of r.body)o.append(new TextDecoder().decode(c))})</script>',
  swagger:
    '<div id=swagger-ui></div><script src=/swagger-ui-bundle.js></script><script>SwaggerUIBundle({url:"/o.json",dom_id:"#swagger-ui"})</script>',
  syncxhr:
    '<div id=o></div><script>const x=new XMLHttpRequest;x.open("GET","/x",false);x.send();o.innerHTML=x.responseText</script>',
  tabs: '<div role=tablist id=t></div><div id=panel></div><script src=/app.js></script>',
  timers: '<div id=o></div><script>setTimeout(()=>o.textContent="hello there",900)</script>',
  token: '<div id=app></div><script src=/app.js></script>',
  vuerouter: '<div id=app></div><script type=module src=/app.js></script>',
  wasm: '<pre id=o></pre><script type=module src=/app.js></script>',
  websocket: '<ul id=o></ul><script>new WebSocket("ws://x").onmessage=e=>o.append(e.data)</script>',
  worker: '<p id=o></p><script>new Worker("/w.js").onmessage=e=>o.textContent=e.data</script>',
  backbone: '<div id=todoapp></div><script type=text/template id=t><b><%= a %></b></script><script src=b.js></script>',
  blazor: '<div id=app>Loading...</div><script src=_framework/blazor.webassembly.js></script>',
  elm: '<div id=elm></div><script src=/elm.js></script><script>Elm.Main.init({node:document.getElementById("elm")})</script>',
  ember:
    '<div id=ember-basic-dropdown-wormhole></div><script src=/assets/vendor.js></script><script src=/assets/app.js></script>',
  extjs: '<script src=ext-all.js></script><script src=app.js></script>',
  flutter: '<script src=flutter_bootstrap.js async></script>',
  frameset:
    '<noscript>Enable JavaScript</noscript><script>top.document.title="x";document.body.innerHTML=atob("PHA+d29yZHM8L3A+")</script>',
  gwt: '<iframe src="javascript:\'\'" id=__gwt_historyFrame style=width:0></iframe><script src=app/app.nocache.js></script>',
  importmap:
    '<script type=importmap>{"imports":{"a":"/a.js"}}</script><div></div><script type=module>import "a"</script>',
  inlinemodule:
    '<main></main><script type=module>const {default:d}=await fetch("/d").then(r=>r.json());document.querySelector("main").replaceChildren(...d.map(x=>Object.assign(document.createElement("p"),{textContent:x})))</script>',
  jqload: '<div id=content></div><script src=jquery.js></script><script>$("#content").load("/part.html")</script>',
  knockout: '<ul data-bind="foreach: items"><li data-bind="text: name"></li></ul><script src=ko.js></script>',
  mustache:
    '<div id=target>Loading...</div><script id=template type=x-tmpl-mustache>Hello {{name}}</script><script>fetch("/d").then(r=>r.json()).then(d=>target.innerHTML=Mustache.render(template.innerHTML,d))</script>',
  polymer: '<shop-app unresolved>Shop</shop-app><script type=module src=/a.js></script>',
  qwik: '<div q:container=paused></div><script>document.addEventListener("qinit",()=>0);import("/build/q.js")</script>',
  requirejs: '<div id=main></div><script data-main=js/main src=require.js></script>',
  systemjs:
    '<script type=systemjs-importmap src=im.json></script><main></main><script src=system.js></script><script>System.import("@org/root")</script>',
  templ:
    '<template id=t><article></article></template><div id=list></div><script>fetch("/x").then(r=>r.json()).then(a=>a.forEach(x=>{const n=t.content.cloneNode(true);n.firstChild.textContent=x;list.append(n)}))</script>',
  turbo: '<turbo-frame id=a src=/part loading=eager></turbo-frame><script type=module src=/a.js></script>',
  unpoly: '<div up-hungry up-defer up-href=/p>Loading…</div><script src=unpoly.js></script>',
};
