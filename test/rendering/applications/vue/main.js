import { createApp, h, onMounted, ref, watch } from 'vue';
import { createRouter, createWebHashHistory, createWebHistory, RouterLink, RouterView } from 'vue-router';
import { load, sentence } from '../sentences.ts';

const link = (to, text) => h('li', h(RouterLink, { to }, () => text));

const Home = {
  setup() {
    const products = ref([]);
    onMounted(async () => {
      products.value = await load('/api/products');
    });
    return () =>
      h('main', [
        h('p', sentence('vue', 'start')),
        h('ul', [link('/guide', 'Guide'), ...products.value.map(({ id, name }) => link(`/product/${id}`, name))]),
      ]);
  },
};

const Guide = {
  render: () => h('main', [h('p', sentence('vue', 'guide')), h('ul', link('/guide/care', 'Care'))]),
};
const Care = { render: () => h('p', sentence('vue', 'care')) };

const Product = {
  props: ['id'],
  setup(props) {
    const product = ref();
    const show = async () => {
      product.value = await load(`/api/product/${props.id}`);
      document.title = product.value.name;
    };
    watch(() => props.id, show, { immediate: true });
    return () => h('p', product.value?.text ?? 'Loading…');
  },
};

const router = createRouter({
  history: document.querySelector('[data-routes=hash]') ? createWebHashHistory() : createWebHistory(),
  routes: [
    { path: '/', component: Home },
    { path: '/guide', component: Guide },
    { path: '/guide/care', component: Care },
    { path: '/product/:id', component: Product, props: true },
  ],
});

createApp({ render: () => h(RouterView) })
  .use(router)
  .mount('#root');
