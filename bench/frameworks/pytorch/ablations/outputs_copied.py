def vary(program, source):
    class Copying(program):
        def _train(self, batch):
            inputs, y = batch
            self.optimizer.zero_grad()
            outputs = self.run(*inputs)
            loss = self.source.loss(outputs, y)
            loss.backward()
            self.optimizer.step()
            outputs.detach().cpu().numpy()
            return loss

    return Copying, source
