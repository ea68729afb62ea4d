import '@angular/compiler';
import { Component, inject, signal } from '@angular/core';
import { bootstrapApplication, Title } from '@angular/platform-browser';
import { ActivatedRoute, provideRouter, RouterLink, RouterOutlet } from '@angular/router';
import { load, sentence } from '../sentences.ts';

const Home = Component({
  selector: 'app-home',
  imports: [RouterLink],
  template: `<p>{{ text }}</p><a routerLink="/guide">Guide</a>
    @for (product of products(); track product.id) {
      <a [routerLink]="['/product', product.id]">{{ product.name }}</a>
    }`,
})(
  class {
    text = sentence('angular', 'start');
    products = signal([]);
    constructor() {
      load('/api/products').then((products) => this.products.set(products));
    }
  },
);

const Guide = Component({
  selector: 'app-guide',
  imports: [RouterLink],
  template: '<p>{{ text }}</p><a routerLink="/guide/care">Care</a>',
})(
  class {
    text = sentence('angular', 'guide');
  },
);

const Care = Component({ selector: 'app-care', template: '<p>{{ text }}</p>' })(
  class {
    text = sentence('angular', 'care');
  },
);

const Product = Component({ selector: 'app-product', template: '<p>{{ text() }}</p>' })(
  class {
    text = signal('Loading…');
    constructor() {
      const title = inject(Title);
      load(`/api/product/${inject(ActivatedRoute).snapshot.paramMap.get('id')}`).then(({ name, text }) => {
        title.setTitle(name);
        this.text.set(text);
      });
    }
  },
);

const App = Component({ selector: 'app-root', imports: [RouterOutlet], template: '<router-outlet />' })(class {});

bootstrapApplication(App, {
  providers: [
    provideRouter([
      { path: '', pathMatch: 'full', component: Home },
      { path: 'guide', component: Guide },
      { path: 'guide/care', component: Care },
      { path: 'product/:id', component: Product },
    ]),
  ],
});
