using System.Text.Json;
using System.Text.RegularExpressions;

namespace NumaSharp.Templates.Tests;

/// <summary>What can be checked without making an application.</summary>
public sealed class TemplateFileTests
{
    private static readonly string[] s_template = ["templates", "NumaSharp.Templates", "numa-web"];

    // A Service's name begins with a letter and ends with a letter or a digit; it has at most 63 of a-z, 0-9 and -.
    [Theory]
    [InlineData("Shop", "shop")]
    [InlineData("Acme.Shop", "acme-shop")]
    [InlineData("my-shop_2", "my-shop-2")]
    [InlineData("My Shop!", "my-shop")]
    [InlineData("3tier", "app-3tier")]
    [InlineData("\u5546\u5e97", "app")]
    [InlineData(
        "A.Name.That.Is.Longer.Than.The.Sixty.Three.Characters.That.Are.Allowed",
        "a-name-that-is-longer-than-the-sixty-three-characters-that-are")]
    public void ResourceName_OfAProject_IsAllowedByKubernetes(string project, string expected)
    {
        using var template = JsonDocument.Parse(Read(".template.config", "template.json"));
        var forms = template.RootElement.GetProperty("forms");
        var name = project;
        foreach (var step in forms.GetProperty("resourceName").GetProperty("steps").EnumerateArray())
        {
            name = step.GetString() == "lowerCaseInvariant"
                ? name.ToLowerInvariant()
                : Replace(name, forms.GetProperty(step.GetString()!));
        }

        Assert.Equal(expected, name);
        Assert.Matches("^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$", name);
    }

    // A project's name may have a space.
    [Fact]
    public void Dockerfile_NamesTheProjectInQuotesOnly()
    {
        var lines = Read("Dockerfile").Split('\n').Where(static line => line.Contains("NumaWeb", StringComparison.Ordinal));
        Assert.NotEmpty(lines);
        Assert.All(lines, static line => Assert.Matches("\\[.*\"NumaWeb[^\"]*\".*\\]$", line));
    }

    private static string Read(params string[] parts) => Repository.Read([.. s_template, .. parts]);

    private static string Replace(string name, JsonElement form) => Regex.Replace(
        name,
        form.GetProperty("pattern").GetString()!,
        form.GetProperty("replacement").GetString()!,
        RegexOptions.None,
        TimeSpan.FromSeconds(1));
}
