using Microsoft.Playwright;

namespace NumaSharp.Browser.Tests;

/// <summary>
/// Whether people can use it who do not see it, see little, have no mouse or a small screen
/// (<see href="https://www.w3.org/TR/WCAG22/">WCAG 2.2</see>, level AA).
/// </summary>
public sealed class AccessTests(ChromiumFixture chromium, SharedMachines machines)
{
    // Success criterion 1.4.3: 4.5 to 1 for text; 1.4.11: 3 to 1 for what is drawn.
    private const string FindFaint = """
        () => {
          const parse = text => { const n = text.match(/[\d.]+/g).map(Number); return [n[0], n[1], n[2], n[3] ?? 1]; };
          const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3]));
          const groundOf = element => {
            const layers = [];
            for (; element; element = element.parentElement) {
              layers.push(parse(getComputedStyle(element).backgroundColor));
            }
            return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
          };
          const linear = part => part <= 10.31475 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4;
          const luminance = color => 0.2126 * linear(color[0]) + 0.7152 * linear(color[1]) + 0.0722 * linear(color[2]);
          const contrast = (one, other) => {
            const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
            return (high + 0.05) / (low + 0.05);
          };
          const faint = [];
          let seen = 0;
          for (const element of document.querySelectorAll("body *")) {
            const style = getComputedStyle(element);
            const hasText = [...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");
            const isDrawn = element.tagName === "polyline";
            if (!(hasText || isDrawn) || !element.checkVisibility()) {
              continue;
            }
            seen++;
            const ground = groundOf(element);
            const ratio = contrast(over(parse(isDrawn ? style.stroke : style.color), ground), ground);
            if (ratio < (isDrawn ? 3 : 4.5)) {
              const text = element.textContent.slice(0, 30);
              faint.push(`${element.tagName}.${element.getAttribute("class")} '${text}' ${ratio.toFixed(2)}`);
            }
          }
          return seen < 50 ? [`only ${seen} checked`] : faint;
        }
        """;

    [Theory]
    [InlineData(ColorScheme.Light)]
    [InlineData(ColorScheme.Dark, Traits = ["tier", "deep"])]
    public async Task Contrast_OfEverything_IsEnough(ColorScheme scheme)
    {
        var machine = await machines.TroubledAsync();
        await using var live = await LivePage.OpenAsync(chromium.Browser, machine, new() { ColorScheme = scheme });
        Assert.Empty(await live.Page.EvaluateAsync<string[]>(FindFaint));
    }

    [Theory]
    [InlineData(320)]
    [InlineData(768, Traits = ["tier", "deep"])]
    [InlineData(2560)]
    public async Task Width_OfAnyScreen_IsEnough(int width)
    {
        var machine = await machines.TroubledAsync();
        await using var live = await LivePage.OpenAsync(
            chromium.Browser, machine, new() { ViewportSize = new() { Width = width, Height = 800 } });

        // Tables scroll by themselves, the page does not (1.4.10).
        Assert.Equal(width, await live.Page.EvaluateAsync<int>("() => document.scrollingElement.scrollWidth"));
    }

    [Fact]
    public async Task Keyboard_FromTheTop_ReachesEverythingThatScrolls()
    {
        var machine = await machines.TroubledAsync();
        await using var live = await LivePage.OpenAsync(
            chromium.Browser, machine, new() { ViewportSize = new() { Width = 320, Height = 800 } });
        var keyboard = live.Page.Keyboard;
        await keyboard.PressAsync("Tab");
        await Assertions.Expect(live.Page.GetByRole(AriaRole.Link, new() { Name = "Skip to the nodes" })).ToBeFocusedAsync();
        await keyboard.PressAsync("Enter");
        await Assertions.Expect(live.Page.GetByRole(AriaRole.Main)).ToBeFocusedAsync();
        foreach (var name in (string[])["Distances", "Traffic between nodes", "Planned and applied placement", "Event loops"])
        {
            await keyboard.PressAsync("Tab");
            var region = live.Page.GetByRole(AriaRole.Region, new() { Name = name }).And(live.Page.Locator("div"));
            await Assertions.Expect(region).ToBeFocusedAsync();
        }
    }

    [Fact]
    public async Task Names_OfEverything_AreThere()
    {
        var machine = await machines.TroubledAsync();
        await using var live = await LivePage.OpenAsync(chromium.Browser, machine);
        await live.ExpectStatusAsync("Live");
        var tree = await live.Page.Locator("body").AriaSnapshotAsync();
        string[] expected =
        [
            "- heading \"NUMA on", "- status: Live", "- button \"Pause\"", "- heading \"Nodes\" [level=2]",
            "- article \"Node 0\"",
            "- table \"Distances between nodes\"", "- table \"Work items and packets from node to node\"",
            "- rowheader \"Node 1\"", "- columnheader \"Hand-overs\"",
            "- img \"Connections, at most", "- table \"The event loops of the transport\"",
        ];
        Assert.All(expected, text => Assert.Contains(text, tree, StringComparison.Ordinal));

        // A document without a gap between its headings, and no id twice.
        var levels = await live.Page.Locator("h1, h2, h3, h4").EvaluateAllAsync<int[]>("all => all.map(one => +one.tagName[1])");
        Assert.Equal(1, levels[0]);
        Assert.All(levels.Zip(levels.Skip(1)), static pair => Assert.InRange(pair.Second, 2, pair.First + 1));
        var ids = await live.Page.Locator("[id]").EvaluateAllAsync<string[]>("all => all.map(one => one.id)");
        Assert.Equal(ids.Distinct(), ids);
    }

    [Fact]
    public async Task Page_WithoutScript_LeadsToTheJson()
    {
        var machine = await machines.PlainAsync();
        await using var live = await LivePage.OpenAsync(chromium.Browser, machine, new() { JavaScriptEnabled = false });
        await live.Page.GetByRole(AriaRole.Link, new() { Name = "JSON", Exact = true }).ClickAsync();
        await live.Page.WaitForURLAsync($"{machine.Page}/state");

        // JSON cannot say which icon it has, and the application has none at its root.
        live.ForgetComplaints();
    }
}
