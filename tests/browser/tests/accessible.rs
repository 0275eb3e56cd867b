//! For everyone: rules of accessibility, in either theme.

use browser_tests::{Media, Setting, browse};

#[tokio::test]
async fn no_rule_is_broken_in_light_and_dark() {
    browse(Setting::new("axe"), async |page| {
        for dark in [false, true] {
            page.emulate(Media { dark, ..Media::default() }).await?;
            page.open("").await?;
            page.is_accessible().await?;
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_small_phone_does_not_scroll_sideways() {
    for width in [320, 360] {
        browse(Setting::new("sideways").size(width, 640), async |page| {
            page.open("").await?;
            assert_eq!(page.sideways().await?, Vec::<String>::new(), "at {width} pixels");
            Ok(())
        })
        .await;
    }
}
